"""Build conditions and version steps, whose records the compiler shares with the library."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from toolaccord.semantics.conditions import Condition, Ordered, Span
from toolaccord.semantics.version_steps import ABSENT, Step, add, drop, move
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.loading.scalars import parse_duration


def build_condition(condition: Mapping[str, Any]) -> Condition:
    """Build the record of a condition between two arguments."""
    first, second = condition["span"] if "span" in condition else condition["ordered"]
    pointers, code = (first, second), condition["code"]
    if "span" in condition:
        return Span(pointers=pointers, at_most=timedelta(seconds=parse_duration(condition["at_most"])), code=code)
    return Ordered(pointers=pointers, strict=condition.get("strict", False), code=code)


def build_step(step: Mapping[str, Any]) -> Step:
    """Build the record of a step between two versions."""
    if "move" in step:
        return move(step["move"], step["to"], tuple(as_object(step.get("values")).items()), step.get("lookup"))
    return add(step["add"], step["value"]) if "add" in step else drop(step["drop"], step.get("default", ABSENT))
