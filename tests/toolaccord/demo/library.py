"""Serve books from a shelf, and misbehave in every way that a test needs.

`contracts/demo/library.json` declares the server. The shelf is a source of the tests' own kind, which no contract can
declare, so `server` replaces the declared one. `python -m tests.toolaccord.demo.library` serves it on standard input
and output.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol, cast

from tests.toolaccord.generated.demo.errors import BookNotFound, InvalidShelf, ShelfGone
from tests.toolaccord.generated.demo.library import server as declared
from tests.toolaccord.generated.demo.library.models import (
    GetBookRequest,
    ListBooksRequest,
    ListLoansRequest,
    ListLoansResult,
    MisbehaveRequest,
    MisbehaveResult,
)
from tests.toolaccord.generated.demo.library.models import GetBookResult as Book
from tests.toolaccord.generated.demo.library.schemas import (
    GET_BOOK_RETURNS,
    LIST_BOOKS_PARAMETERS,
    LIST_BOOKS_RETURNS,
)
from tests.toolaccord.generated.demo.library.server import LibrarySettings
from tests.toolaccord.generated.dialects import LIBRARY
from toolaccord.contract.policies import CachePolicy
from toolaccord.declarations.tool import AnyTool, Server
from toolaccord.errors import SourceError, ToolError
from toolaccord.handler import Caller, Page
from toolaccord.server.main import run
from toolaccord.sources import Source
from toolaccord.timing.clock import Clock

__all__ = [
    "GET_BOOK_RETURNS",
    "LIBRARY",
    "LIST_BOOKS_PARAMETERS",
    "LIST_BOOKS_RETURNS",
    "Book",
    "BookNotFound",
    "GetBookRequest",
    "InvalidShelf",
    "ListBooksRequest",
    "ListLoansRequest",
    "ListLoansResult",
    "MisbehaveRequest",
    "MisbehaveResult",
    "ShelfGone",
]

_LOG = logging.getLogger(__name__)


class Undeclared(ToolError):
    """An error that no tool declares."""

    code = "UNDECLARED"
    http = 418


class Shelf(Source, Protocol):
    """The source of books."""

    def books(self, shelf: str) -> list[Book]:
        """Return the books of *shelf*."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShelfSource:
    """Declares a shelf."""

    name: str
    url: str

    @property
    def kind(self) -> str:
        return "shelf"

    def open(self, settings: Mapping[str, Any], _clock: Clock, /) -> Shelf:
        return WoodenShelf(str(settings[self.url]))


class WoodenShelf:
    """A shelf of two hundred books that logs its start and end."""

    kind = "shelf"

    def __init__(self, url: str) -> None:
        self.url = url
        self.lookups = 0

    async def start(self) -> None:
        _LOG.info("shelf started")

    async def check(self) -> None:
        if "broken" in self.url:
            raise SourceError(f"the shelf {self.url} is broken")

    async def close(self) -> None:
        _LOG.info("shelf closed: %s", self.url)

    def books(self, shelf: str) -> list[Book]:
        self.lookups += 1
        return [Book(id=number, title=f"{shelf} {number}") for number in range(1, 201)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryCall:
    """The context of a call: the declared one, with a shelf in the place of an HTTP client."""

    shelf: Shelf
    settings: LibrarySettings
    now: datetime
    """The time of the call, in UTC."""
    caller: Caller | None = None
    """Caller that a token proves."""


class Handlers(Protocol):
    """One coroutine for each tool."""

    async def list_books(self, request: ListBooksRequest, call: LibraryCall, /) -> Page[Book]: ...
    async def get_book(self, request: GetBookRequest, call: LibraryCall, /) -> Book: ...
    async def list_loans(self, request: ListLoansRequest, call: LibraryCall, /) -> ListLoansResult: ...
    async def misbehave(self, request: MisbehaveRequest, call: LibraryCall, /) -> MisbehaveResult: ...


class Librarian:
    """The handlers."""

    async def list_books(self, request: ListBooksRequest, call: LibraryCall, /) -> Page[Book]:
        books = call.shelf.books(request.shelf)
        return Page(books[request.offset :][: request.limit], len(books))

    async def get_book(self, request: GetBookRequest, call: LibraryCall, /) -> Book:
        for book in call.shelf.books("get"):
            if book.id == request.id:
                return Book(id=book.id, title=book.title[: call.settings.longest_title])
        raise BookNotFound(f"there is no book {request.id}", book=request.id)

    async def list_loans(self, request: ListLoansRequest, _call: LibraryCall, /) -> ListLoansResult:
        return ListLoansResult(since=request.since.isoformat() if request.since else None)

    async def misbehave(self, request: MisbehaveRequest, call: LibraryCall, /) -> MisbehaveResult:
        mischief = {"crash": _crash, "undeclared": _undeclared, "source": _source, "stranger": _stranger}
        if request.how in mischief:
            return mischief[request.how](call)
        if request.how == "wait":
            await asyncio.Event().wait()
        elif request.how == "gate":
            await wait_at_gate()
        elif request.how == "block":
            _LOG.warning("stuck")
            time.sleep(3600)  # noqa: ASYNC251 - that is the mischief
        elif request.how == "print":
            print("a stray print")  # noqa: T201 - that is the mischief
            sys.stdout.flush()
        elif request.how == "cancel":
            raise asyncio.CancelledError
        ratio = float("nan") if request.how == "nan" else None
        return MisbehaveResult.model_construct(done="broken" if request.how == "break" else 1, ratio=ratio)


async def wait_at_gate() -> None:
    """Wait until something is written to the pipe that LIBRARY_GATE names."""
    loop = asyncio.get_running_loop()
    pipe = os.open(os.environ["LIBRARY_GATE"], os.O_RDWR | os.O_NONBLOCK)
    opened = asyncio.Event()
    loop.add_reader(pipe, opened.set)
    _LOG.info("at the gate")
    try:
        await opened.wait()
    finally:
        loop.remove_reader(pipe)
        os.close(pipe)


def _crash(call: LibraryCall) -> MisbehaveResult:
    raise RuntimeError(f"the effect: {getattr(call.shelf, 'url', '')} s3cr3t") from OSError("the cause: s3cr3t")


def _undeclared(_call: LibraryCall) -> MisbehaveResult:
    raise Undeclared("an undeclared word: s3cr3t")


def _source(_call: LibraryCall) -> MisbehaveResult:
    raise SourceError("the shelf fell on s3cr3t")


def _stranger(_call: LibraryCall) -> MisbehaveResult:
    return cast("MisbehaveResult", {"done": 1})


def server(handlers: Handlers, *, timeout_ms: int = 5000) -> Server[LibraryCall]:
    """Bind the tools to *handlers*, and replace declarations that no contract can make."""
    compiled = declared.server(cast("Any", handlers))
    tools = tuple(_adapt(cast("AnyTool", tool), timeout_ms) for tool in compiled.tools)
    source = ShelfSource(name="shelf", url="shelf_url")
    return cast("Server[LibraryCall]", replace(cast("Any", compiled), sources=(source,), call=LibraryCall, tools=tools))


def _adapt(tool: AnyTool, timeout_ms: int) -> AnyTool:
    """Set the timeout; misbehave has a cache, so that a call that waits has looked it up."""
    cache = CachePolicy(ttl_s=10.0) if tool.name == "misbehave" else tool.cache
    return replace(tool, timeout_ms=timeout_ms, cache=cache)


def main() -> int:
    """Serve the library on standard input and output."""
    timeout_ms = int(os.environ.get("LIBRARY_TIMEOUT_MS", "5000"))
    sandbox = os.environ.get("LIBRARY_SANDBOX", "tests.toolaccord.demo.library_sandbox")
    return run(server(Librarian(), timeout_ms=timeout_ms), sandbox=sandbox)


if __name__ == "__main__":
    raise SystemExit(main())
