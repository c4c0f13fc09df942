"""Map paths in values by steps."""

from __future__ import annotations

from collections.abc import Sequence

from codegen.ir.version_steps import EACH, Step, Tokens


def map_path(steps: Sequence[Step], path: Tokens) -> Tokens | None:
    """Return the path that a value at a path moves to.

    None if the value is dropped, or if a step puts another value there.
    """
    deepest = max(
        (step for step in steps if starts_with(path, step.source_tokens)),
        key=lambda step: len(step.source_tokens),
        default=Step(),
    )
    if deepest.source_tokens and not deepest.target_tokens:
        return None
    target = (*deepest.target_tokens, *path[len(deepest.source_tokens) :])
    if any(
        len(step.target_tokens) > len(deepest.target_tokens) and starts_with(target, step.target_tokens)
        for step in steps
    ):
        return None
    return target


def starts_with(path: Tokens, pattern: Tokens) -> bool:
    """Return True if a path is at or below the paths of a pattern."""
    return len(path) >= len(pattern) > 0 and all(
        step == token or (token == EACH and step.isdecimal()) for step, token in zip(path, pattern, strict=False)
    )
