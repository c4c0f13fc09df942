"""What differs between two states of a contract, before anybody judges it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from codegen.breaking.rule import Direction
from codegen.loading.schema_nodes import Place, Schema
from codegen.schema_sets.samples import SchemaPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What a witness of a change has to show: a value that one schema admits and the other does not."""

    admits: Schema
    """The schema, at the place of the change, of the side that admits the value."""
    refuses: Schema
    """The keywords that changed, as the other side has them."""
    way: SchemaPath
    """From the whole schema of the side that admits the value to the place of the change."""
    lost: bool
    """Whether the old side admits the value and the new one does not; else the reverse."""
    old: Schema
    """The whole schema of the old side."""
    new: Schema
    hint: Any
    """A value that is likely to do as a whole, of which a witness borrows what does not matter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One fact: what was, what is, and where."""

    rule: str
    old: Place | None
    new: Place | None
    message: str
    tool: str | None = None
    direction: Direction | None = None
    circumstance: str = ""
    """What else decides how grave it is: `open`, `extensible`."""
    subject: str = ""
    """What it is about, without wording: a place in the values, and what sets it apart from others of its kind."""
    difference: Difference | None = None
    shown_by: Any = None
    """A value that shows it where no two schemas can: it was taken and is not any more."""
    until: date | None = None
    """The last day for which something was promised; afterwards nobody is owed it."""
    served: str = ""
    """The version that whoever it would break can name instead; empty where there is none."""
