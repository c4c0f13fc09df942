"""The header fields of a request, parsed once for all that read them."""

from __future__ import annotations

from collections import Counter

from starlette.types import Scope

_SCOPE_KEY = "toolaccord.fields"


class Fields(dict[str, str]):
    """Values by names in lower case; the first value of a repeated name."""

    __slots__ = ("repeated",)

    def __init__(self, headers: list[tuple[bytes, bytes]]) -> None:
        super().__init__([(name.decode("latin-1"), value.decode("latin-1")) for name, value in reversed(headers)])
        self.repeated: frozenset[str] = frozenset() if len(self) == len(headers) else _repeated_names(headers)
        """The names that occur more than once."""

    def get_single(self, name: str) -> str | None:
        """Return the value of *name* if it occurs exactly once, else None."""
        return None if name in self.repeated else self.get(name)


def read_fields(scope: Scope) -> Fields:
    """Return the header fields of a request."""
    fields: Fields | None = scope.get(_SCOPE_KEY)
    if fields is None:
        fields = scope[_SCOPE_KEY] = Fields(scope["headers"])
    return fields


def _repeated_names(headers: list[tuple[bytes, bytes]]) -> frozenset[str]:
    counts = Counter(name.decode("latin-1") for name, _ in headers)
    return frozenset(name for name, count in counts.items() if count > 1)
