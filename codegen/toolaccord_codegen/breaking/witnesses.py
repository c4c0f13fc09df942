"""Find witnesses: values that one state of a contract admits and the other does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from toolaccord_codegen.breaking.changes import Difference
from toolaccord_codegen.schema_sets.samples import distinguishing_values, embed
from toolaccord_codegen.schema_sets.validators import admits, compile_keywords

MAX_PART_VALUES = 25
"""Values tried at the place of a change."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A value that one state of a contract admits and the other does not."""

    value: Any
    is_loss: bool
    """True if only the old state admits it, False if only the new one does."""

    def as_json(self) -> dict[str, Any]:
        """Return the witness for JSON output."""
        accepts, rejects = ("old", "new") if self.is_loss else ("new", "old")
        return {"value": self.value, "accepted_by": accepts, "rejected_by": rejects}


def find_witness(difference: Difference) -> Witness | None:
    """Return a value of the whole schema that shows a difference, or None.

    Both schemas confirm the value.
    """
    old, new = compile_keywords(difference.old), compile_keywords(difference.new)
    accepting, rejecting = (old, new) if difference.is_loss else (new, old)
    for value in _candidates(difference):
        if accepting.is_valid(value) and not rejecting.is_valid(value):
            return Witness(value, difference.is_loss)
    return None


def _candidates(difference: Difference) -> Iterator[Any]:
    """Yield whole values with a distinguishing value at the place of the change."""
    schema = difference.old if difference.is_loss else difference.new
    if not difference.path and not admits(difference.rejecting, difference.hint):
        yield difference.hint
    for value in islice(distinguishing_values(difference.accepting, difference.rejecting), MAX_PART_VALUES):
        for hint in (difference.hint, None):
            yield embed(schema, difference.path, value, hint)
