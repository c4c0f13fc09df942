"""Steps, as records: how a version of a tool becomes the next newer one, or, turned around, the next older one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from codegen.loading.documents import split_pointer
from codegen.loading.references import as_object

Tokens = tuple[str, ...]
"""The steps of a pointer; `*` is every item of an array."""
EACH = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One difference: a member moves, is added (it has no source), or is dropped (it has no target)."""

    source: str | None = None
    """Where the member is in the version that is left."""
    target: str | None = None
    """Where it is in the version that is reached."""
    values: Mapping[str, str] = field(default_factory=dict)
    """What its values are called there; a value that is not named is called the same."""
    lookup: str | None = None
    """The function that says its value there, where no rule can."""
    constant: tuple[Any, ...] = ()
    """What an added member is, or a dropped one becomes again on the way back; empty where that is nothing."""

    @property
    def source_tokens(self) -> Tokens:
        """Where the member is taken from; nothing where it is added."""
        return split_pointer(self.source or "")

    @property
    def target_tokens(self) -> Tokens:
        """Where the member is put; nothing where it is dropped."""
        return split_pointer(self.target or "")


def build_step(step: Mapping[str, Any]) -> Step:
    """The record of a step."""
    if "move" in step:
        values = as_object(step.get("values"))
        return Step(source=step["move"], target=step.get("to"), values=values, lookup=step.get("lookup"))
    if "add" in step:
        return Step(target=step["add"], constant=(step.get("value"),))
    return Step(source=step["drop"], constant=(step["default"],) if "default" in step else ())


def reverse_steps(steps: Iterable[Step]) -> tuple[Step, ...]:
    """The steps on the way back."""
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
