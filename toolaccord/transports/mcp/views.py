"""Lists of a server as its callers see them: each is shown what its scopes let it use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Literal, TypeVar

from toolaccord.declarations.tool import Server
from toolaccord.handler import Caller

Encoded = TypeVar("Encoded")
_MAX_VIEWS = 64
"""Views of one list that are kept; the one that was made first makes room."""


class Views(Generic[Encoded]):
    """A list of a server, encoded once for all callers with the same scopes."""

    def __init__(self, server: Server[Any], encode: Callable[[Server[Any]], Encoded]) -> None:
        self._server = server
        self._scopes = server.scopes
        self._encode = encode
        self._views: dict[frozenset[str], Encoded] = {}

    def get(self, caller: Caller | None) -> Encoded:
        """Return the list for a *caller*; one that nobody proves sees everything."""
        held = self._scopes if caller is None else self._scopes & caller.scopes
        if held not in self._views:
            if len(self._views) == _MAX_VIEWS:
                del self._views[next(iter(self._views))]
            self._views[held] = self._encode(self._server.seen_with(held))
        return self._views[held]

    def clear(self) -> None:
        """Encode the list again for each caller."""
        self._views.clear()


def cache_scope(server: Server[Any]) -> Literal["private", "public"]:
    """Return who may share a list of *server*: nobody, where callers need scopes."""
    return "private" if server.scopes else "public"
