"""Where what stands at a place goes, under steps."""

from __future__ import annotations

from collections.abc import Sequence

from codegen.ir.version_steps import EACH, Step, Tokens


def destination(steps: Sequence[Step], path: Tokens) -> Tokens | None:
    """Where what stands at a place goes; None where it is dropped, or where a step puts something else."""
    taking = max(
        (step for step in steps if begins(path, step.source_tokens)),
        key=lambda step: len(step.source_tokens),
        default=Step(),
    )
    if taking.source_tokens and not taking.target_tokens:
        return None
    goal = (*taking.target_tokens, *path[len(taking.source_tokens) :])
    if any(len(step.target_tokens) > len(taking.target_tokens) and begins(goal, step.target_tokens) for step in steps):
        return None
    return goal


def begins(path: Tokens, pattern: Tokens) -> bool:
    """Whether a place is at or below the places of a pattern."""
    return len(path) >= len(pattern) > 0 and all(
        step == token or (token == EACH and step.isdecimal()) for step, token in zip(path, pattern, strict=False)
    )
