"""Lists of a server as its callers see them, by their scopes and their hosts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Literal, TypeVar

from toolaccord.declarations.tool import Server
from toolaccord.handler import Caller
from toolaccord.resources.view_pages import add_view_pages, has_views, hide_views

Encoded = TypeVar("Encoded")
_MAX_LISTS = 64
"""Forms of one list that are kept; the one that was made first makes room."""


class ScopedLists(Generic[Encoded]):
    """A list of a server, encoded once for all callers that see the same."""

    def __init__(self, server: Server[Any], encode: Callable[[Server[Any]], Encoded]) -> None:
        self._server = server
        self._scopes = server.scopes
        self._encode = encode
        self._has_views = has_views(server)
        self._lists: dict[tuple[frozenset[str], bool], Encoded] = {}

    def get(self, caller: Caller | None, *, shows_views: bool = False) -> Encoded:
        """Return the list for a *caller*; one that nobody proves sees everything.

        Hosts that show views see those, too.
        """
        held = self._scopes if caller is None else self._scopes & caller.scopes
        form = held, shows_views and self._has_views
        if form not in self._lists:
            if len(self._lists) == _MAX_LISTS:
                del self._lists[next(iter(self._lists))]
            self._lists[form] = self._encode(self._seen(*form))
        return self._lists[form]

    def clear(self) -> None:
        """Encode the list again for each caller."""
        self._lists.clear()

    def _seen(self, scopes: frozenset[str], shows_views: bool) -> Server[Any]:  # noqa: FBT001 - a form of the list
        seen = self._server.seen_with(scopes)
        return add_view_pages(seen) if shows_views else hide_views(seen)


def cache_scope(server: Server[Any]) -> Literal["private", "public"]:
    """Return who may share a list of *server*: nobody, where it depends on scopes or on views."""
    return "private" if server.scopes or has_views(server) else "public"
