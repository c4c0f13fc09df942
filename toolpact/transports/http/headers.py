"""The headers of a request, read once for all who ask."""

from __future__ import annotations

from collections import Counter

from starlette.types import Scope

_KEPT = "toolpact.fields"
"""Where a request keeps them."""


class Fields(dict[str, str]):
    """Values by names in lower case; where a name came more than once, its first value."""

    __slots__ = ("repeated",)

    def __init__(self, headers: list[tuple[bytes, bytes]]) -> None:
        super().__init__([(name.decode("latin-1"), value.decode("latin-1")) for name, value in reversed(headers)])
        self.repeated: frozenset[str] = frozenset() if len(self) == len(headers) else _repeated(headers)
        """The names that came more than once."""

    def sole(self, name: str) -> str | None:
        """Return the value of *name* if it came once, and only once."""
        return None if name in self.repeated else self.get(name)


def of(scope: Scope) -> Fields:
    """Return the headers of a request."""
    kept: Fields | None = scope.get(_KEPT)
    if kept is None:
        kept = scope[_KEPT] = Fields(scope["headers"])
    return kept


def _repeated(headers: list[tuple[bytes, bytes]]) -> frozenset[str]:
    times = Counter(name.decode("latin-1") for name, _ in headers)
    return frozenset(name for name, count in times.items() if count > 1)
