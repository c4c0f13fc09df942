"""Where what stands at a place goes, under steps."""

from __future__ import annotations

from collections.abc import Sequence

from codegen.ir.version_steps import EACH, Step, Tokens


def destination(steps: Sequence[Step], path: Tokens) -> Tokens | None:
    """Where what stands at a place goes; None where it is dropped, or where a step puts something else."""
    taking = max((step for step in steps if begins(path, step.taken)), key=lambda step: len(step.taken), default=Step())
    if taking.taken and not taking.put:
        return None
    goal = (*taking.put, *path[len(taking.taken) :])
    if any(len(step.put) > len(taking.put) and begins(goal, step.put) for step in steps):
        return None
    return goal


def begins(path: Tokens, pattern: Tokens) -> bool:
    """Whether a place is at or below the places of a pattern."""
    return len(path) >= len(pattern) > 0 and all(
        step == token or (token == EACH and step.isdecimal()) for step, token in zip(path, pattern, strict=False)
    )
