"""Define changes between two states of a contract, before a profile grades them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.schema_nodes import Place, Schema
from toolaccord_codegen.schema_sets.samples import SchemaPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two schemas between which a witness has to distinguish."""

    accepting: Schema
    """The schema at the place of the change, on the side that admits the witness."""
    rejecting: Schema
    """The changed keywords of the other side."""
    path: SchemaPath
    """From the whole schema of the accepting side to the place of the change."""
    is_loss: bool
    """True if only the old side admits the witness, False if only the new one does."""
    old: Schema
    """The whole schema of the old side."""
    new: Schema
    """The whole schema of the new side."""
    hint: Any
    """A whole value that is probably valid. The witness takes its other members from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A difference between two states of a contract."""

    rule: str
    old: Place | None
    new: Place | None
    message: str
    tool: str | None = None
    direction: Direction | None = None
    circumstance: str = ""
    """A condition that affects the level, such as `open` or `extensible`."""
    pointer: str = ""
    """The JSON pointer of the changed values in arguments or results.

    `*` is any item or unnamed member.
    """
    subject: str = ""
    """The changed part, independent of wording. It is part of the fingerprint."""
    difference: Difference | None = None
    lost_value: Any = None
    """A witness that was accepted and is not any more, for changes outside of schemas."""
    promised_until: date | None = None
    """The last day of a promise."""
    kept_version: str = ""
    """The older version that callers can name instead. Empty if there is none."""
