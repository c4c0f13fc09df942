"""Witnesses: values that show a change, each held against both schemas before anybody sees it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from codegen.breaking.changes import Difference
from codegen.loading.schema_nodes import select_keywords
from codegen.schema_sets.containment import admits
from codegen.schema_sets.samples import distinguishing_values, embed

TRIES = 25
"""Values at the place of a change that are put into a whole one."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A value that one state of a contract admits and the other does not."""

    value: Any
    lost: bool
    """Whether the old state admits it and the new one does not; else the reverse."""

    def as_json(self) -> dict[str, Any]:
        """As findings in JSON have it."""
        accepts, refuses = ("old", "new") if self.lost else ("new", "old")
        return {"value": self.value, "accepted_by": accepts, "rejected_by": refuses}


def witness(difference: Difference) -> Witness | None:
    """A value of the whole schema that shows a difference; None where none is found."""
    old, new = select_keywords(difference.old), select_keywords(difference.new)
    admitting, refusing = (old, new) if difference.lost else (new, old)
    for value in wholes(difference):
        if admits(admitting, value) and not admits(refusing, value):
            return Witness(value, difference.lost)
    return None


def wholes(difference: Difference) -> Iterator[Any]:
    """Whole values with a distinguishing_values one at the place of the change."""
    whole = difference.old if difference.lost else difference.new
    if not difference.way and not admits(difference.refuses, difference.hint):
        yield difference.hint
    for value in islice(distinguishing_values(difference.admits, difference.refuses), TRIES):
        for hint in (difference.hint, None):
            yield embed(whole, difference.way, value, hint)
