"""Build conditions and version steps as a running server has them."""

from __future__ import annotations

from datetime import timedelta

from toolaccord.contract import tools
from toolaccord.semantics.conditions import Condition, Ordered, Span
from toolaccord.semantics.version_steps import Step, add, drop, move
from toolaccord_codegen.loading.scalars import parse_duration


def build_condition(condition: tools.Condition) -> Condition:
    """Build a condition between two arguments."""
    first, second = condition.span or condition.ordered
    if condition.at_most:
        at_most = timedelta(seconds=parse_duration(condition.at_most))
        return Span(pointers=(first, second), at_most=at_most, code=condition.code)
    return Ordered(pointers=(first, second), strict=condition.strict, code=condition.code)


def build_step(step: tools.DeclaredStep) -> Step:
    """Build a step between two versions."""
    if step.move and step.to:
        return move(step.move, step.to, tuple(step.values.items()), step.lookup)
    return add(step.add, step.value) if step.add else drop(step.drop or "", step.default)
