"""Sources, events and callers as operations may use them, by what they declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from toolaccord.declarations.operation import AnyOperation
from toolaccord.errors import UndeclaredEffect
from toolaccord.sources import Source
from toolaccord.sources.read_only import Changeable


class Undeclared:
    """Source or event that an operation may not use; each use raises UndeclaredEffect."""

    __slots__ = ("_rejection",)

    def __init__(self, rejection: str) -> None:
        self._rejection = rejection

    def __getattr__(self, name: str) -> NoReturn:
        """Raise UndeclaredEffect for any member."""
        raise UndeclaredEffect(self._rejection)


def grant_sources(operation: AnyOperation, sources: Mapping[str, Source]) -> Mapping[str, Any]:
    """Return *sources* as *operation* may use them, by name."""
    return {name: _grant(operation, name, source) for name, source in sources.items()}


def _grant(operation: AnyOperation, name: str, source: Source) -> Any:
    """Return a source whole, without changes, or without any use."""
    if name in operation.writes:
        return source
    if operation.reads_all or name in operation.reads:
        if not isinstance(source, Changeable):
            return source
        rejection = f'{operation.name} changes "{name}", of which it declares reads alone'
        return source.reading(f'{rejection}; add "{name}" to "writes" or "adds" of its effects in the contract')
    return Undeclared(
        f'{operation.name} uses "{name}", which it does not declare; '
        f'add "{name}" to "reads", "writes" or "adds" of its effects in the contract'
    )


def reject_event(operation: AnyOperation, name: str) -> Undeclared:
    """Return what stands for an event that *operation* does not declare."""
    return Undeclared(
        f'{operation.name} uses the event "{name}", which it does not declare; '
        f'add "{name}" to "publishes" of its effects in the contract'
    )


def reject_caller(operation: AnyOperation) -> Undeclared:
    """Return what stands for the caller of *operation*, whose results all callers share."""
    what, remedy = ("results are cached", '"cache" from the tool')
    if operation.keeps_values:
        what, remedy = ("values are kept", '"ttl_s" from the completion')
    return Undeclared(
        f"{operation.name} uses its caller, and its {what} for all callers; "
        f"remove {remedy} in the contract, or let the handler answer all alike"
    )
