"""Sources for operations that only read."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol, runtime_checkable

from toolaccord.errors import UndeclaredEffect


@runtime_checkable
class Changeable(Protocol):
    """A source that operations can change."""

    def reading(self, rejection: str, /) -> ReadOnly:
        """Return the source without what changes it.

        That raises UndeclaredEffect with the text *rejection*.
        """


class ReadOnly:
    """A source without the methods *changes*.

    They raise UndeclaredEffect with the text *rejection*.
    """

    def __init__(self, source: Any, changes: Collection[str], rejection: str) -> None:
        self._source = source
        self._changes = changes
        self._rejection = rejection

    def __getattr__(self, name: str) -> Any:
        """Return the member *name* of the source. Raises UndeclaredEffect."""
        if name in self._changes:
            raise UndeclaredEffect(self._rejection)
        return getattr(self._source, name)
