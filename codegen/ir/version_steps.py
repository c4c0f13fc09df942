"""Steps between two versions of a tool, as records that can be reversed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from codegen.loading.documents import split_pointer
from codegen.loading.references import as_object

Tokens = tuple[str, ...]
"""The tokens of a pointer; `*` means every item of an array."""
EACH = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One difference between two versions: a member moves, is added or is dropped.

    An added member has no source, a dropped one no target.
    """

    source: str | None = None
    """The member's pointer in the version to convert from."""
    target: str | None = None
    """The member's pointer in the version to convert to."""
    values: Mapping[str, str] = field(default_factory=dict)
    """The new name of each value that is renamed; other values stay as they are."""
    lookup: str | None = None
    """The function that converts the value where no rule can."""
    constant: tuple[Any, ...] = ()
    """The value of an added member, or of a dropped one on the way back; empty for no value."""

    @property
    def source_tokens(self) -> Tokens:
        """Return the tokens of the source; none for an added member."""
        return split_pointer(self.source or "")

    @property
    def target_tokens(self) -> Tokens:
        """Return the tokens of the target; none for a dropped member."""
        return split_pointer(self.target or "")


def build_step(step: Mapping[str, Any]) -> Step:
    """Build the record of a step."""
    if "move" in step:
        values = as_object(step.get("values"))
        return Step(source=step["move"], target=step.get("to"), values=values, lookup=step.get("lookup"))
    if "add" in step:
        return Step(target=step["add"], constant=(step.get("value"),))
    return Step(source=step["drop"], constant=(step["default"],) if "default" in step else ())


def reverse_steps(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return the steps of the opposite direction."""
    return tuple(
        Step(
            source=step.target,
            target=step.source,
            values={newer: older for older, newer in step.values.items()},
            lookup=step.lookup,
            constant=step.constant,
        )
        for step in steps
    )
