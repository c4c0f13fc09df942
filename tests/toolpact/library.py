"""A small server in the shape that the compiler writes, with a source and handlers of its own.

`python -m tests.toolpact.library` serves it on standard input and output.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol, cast, get_args

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from toolpact.declarations.dialects import Dialect, Occasions, StandardCode
from toolpact.declarations.settings import Setting
from toolpact.declarations.tool import At, CachePolicy, DeclaredError, On, Ordered, Server, Span, Tool
from toolpact.errors import SourceError, ToolError
from toolpact.handler import Page
from toolpact.json_values import JsonObject
from toolpact.server.main import run
from toolpact.sources import Source
from toolpact.timing.clock import Clock

_LOG = logging.getLogger(__name__)

LIBRARY = Dialect(
    name="library",
    success={
        "data": {"$": "result"},
        "_metadata": {
            "latency_ms": {"$": "latency_ms"},
            "cached": {"$": "cached"},
            "cache_ttl_remaining": {"$": "cache_ttl_remaining"},
            "source": {"$": "source"},
        },
    },
    failure={
        "error": {"code": {"$": "code"}, "message": {"$": "message"}, "details": {"$": "details"}},
        "_metadata": {"latency_ms": {"$": "latency_ms"}},
    },
    errors_in_output_schema=True,
    occasions=Occasions(
        access="UNAUTHORIZED",
        unknown_tool="NOT_FOUND",
        version="UNKNOWN_VERSION",
        sunset="VERSION_SUNSET",
        arguments="INVALID_PARAMETER",
        source="SHELF_ERROR",
        deadline="TIMEOUT",
        internal="INTERNAL_ERROR",
    ),
    codes={
        "UNKNOWN_VERSION": StandardCode(http=404, description="No such version"),
        "VERSION_SUNSET": StandardCode(http=410, description="No such version any more"),
        "UNAUTHORIZED": StandardCode(http=401, description="The request carries no token"),
        "NOT_FOUND": StandardCode(http=404, description="There is no such thing"),
        "INVALID_PARAMETER": StandardCode(http=400, description="An argument breaks the contract"),
        "SHELF_ERROR": StandardCode(http=502, description="The shelf did not answer"),
        "TIMEOUT": StandardCode(http=504, description="Too late"),
        "INTERNAL_ERROR": StandardCode(http=500, description="The server is at fault"),
    },
)


class InvalidShelf(ToolError):
    """The shelf has no such form of name."""

    code = "INVALID_SHELF"
    http = 400


class ReasonTooLong(ToolError):
    """The reason is too long."""

    code = "REASON_TOO_LONG"
    http = 422


class InvalidReason(ToolError):
    """The reason is not one."""

    code = "INVALID_REASON"
    http = 400


class InvalidPeriod(ToolError):
    """The period ends before it begins."""

    code = "INVALID_PERIOD"
    http = 422


class PeriodTooLong(ToolError):
    """The period is too long."""

    code = "PERIOD_TOO_LONG"
    http = 422


class BookNotFound(ToolError):
    """There is no such book."""

    code = "BOOK_NOT_FOUND"
    http = 404

    def __init__(self, message: str, *, book: int) -> None:
        super().__init__(message, {"book": book})


class ShelfGone(ToolError):
    """The shelf did not answer this tool."""

    code = "SHELF_GONE"
    http = 503


class Undeclared(ToolError):
    """No tool declares this one."""

    code = "UNDECLARED"
    http = 418


class Record(BaseModel):
    """What all records have in common."""

    model_config = ConfigDict(frozen=True)


class ListBooksRequest(Record):
    """Arguments of list_books."""

    shelf: str
    limit: int = 2
    offset: int = 0
    fresh: bool = False


class Book(Record):
    """A book."""

    id: int
    title: str
    note: str | None = None


class GetBookRequest(Record):
    """Arguments of get_book."""

    id: int
    reason: str | None = None


class ListLoansRequest(Record):
    """Arguments of list_loans."""

    since: AwareDatetime | None = None
    until: AwareDatetime | None = None


class ListLoansResult(Record):
    """Result of list_loans."""

    since: str | None = None
    ratio: float | None = None


Mischief = Literal[
    "crash", "undeclared", "source", "wait", "block", "print", "break", "stranger", "nan", "cancel", "gate"
]


class MisbehaveRequest(Record):
    """Arguments of misbehave."""

    how: Mischief


class MisbehaveResult(Record):
    """Result of misbehave."""

    done: int | str = Field(default=1)
    ratio: float | None = None


class Shelf(Source, Protocol):
    """Where the books are."""

    def books(self, shelf: str) -> list[Book]:
        """Return the books of *shelf*."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShelfSource:
    """A shelf as the contract declares it."""

    name: str
    url: str

    @property
    def kind(self) -> str:
        return "shelf"

    def open(self, settings: Mapping[str, Any], _clock: Clock, /) -> Shelf:
        return WoodenShelf(str(settings[self.url]))


class WoodenShelf:
    """A shelf of two hundred books that says when it is opened and closed."""

    kind = "shelf"

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked = 0

    async def start(self) -> None:
        _LOG.info("shelf started")

    async def check(self) -> None:
        if "broken" in self.url:
            raise SourceError(f"the shelf {self.url} is broken")

    async def close(self) -> None:
        _LOG.info("shelf closed: %s", self.url)

    def books(self, shelf: str) -> list[Book]:
        self.asked += 1
        return [Book(id=number, title=f"{shelf} {number}") for number in range(1, 201)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarySettings:
    """What the environment says to the handlers."""

    longest_title: int
    """Characters of a title that are given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryCall:
    """What a handler is given beside the request."""

    shelf: Shelf
    settings: LibrarySettings
    now: datetime
    """The time of the call, in UTC."""


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
            await _gate()
        elif request.how == "block":
            _LOG.warning("stuck")
            time.sleep(3600)  # noqa: ASYNC251 - that is the mischief
        elif request.how == "print":
            print("a stray print")  # noqa: T201 - that is the mischief
            sys.stdout.flush()
        elif request.how == "cancel":
            raise asyncio.CancelledError
        ratio = float("nan") if request.how == "nan" else None
        return MisbehaveResult(done="broken" if request.how == "break" else 1, ratio=ratio)


async def _gate() -> None:
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


def _object(properties: JsonObject, *required: str) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _envelope(returns: JsonObject) -> JsonObject:
    properties = {"data": returns, "error": {"type": "object"}, "_metadata": {"type": "object"}}
    either = [{"required": ["data"]}, {"required": ["error"]}]
    return {"type": "object", "properties": properties, "required": ["_metadata"], "oneOf": either}


def _count(minimum: int, maximum: int, default: int) -> JsonObject:
    return {"type": "integer", "minimum": minimum, "maximum": maximum, "default": default}


BOOK = _object({"id": {"type": "integer"}, "title": {"type": "string"}, "note": {"type": "string"}}, "id", "title")
LIST_BOOKS_PARAMETERS = _object(
    {
        "shelf": {"type": "string", "pattern": "^[A-Z]{1,8}$"},
        "limit": _count(1, 100, 2),
        "offset": _count(0, 1_000_000, 0),
        "fresh": {"type": "boolean", "default": False},
    },
    "shelf",
)
LIST_BOOKS_RETURNS = _object(
    {
        "items": {"type": "array", "items": BOOK},
        "pagination": _object(
            {
                "offset": {"type": "integer"},
                "limit": {"type": "integer"},
                "total": {"type": "integer"},
                "has_more": {"type": "boolean"},
            },
            "offset",
            "limit",
            "total",
            "has_more",
        ),
    },
    "items",
    "pagination",
)
GET_BOOK_PARAMETERS = _object(
    {
        "id": {"type": "integer", "minimum": 1},
        "reason": {"type": "string", "pattern": "^[a-z ]+$", "maxLength": 20},
    },
    "id",
)
MOMENT: JsonObject = {"type": "string", "format": "date-time"}
LIST_LOANS_PARAMETERS = _object({"since": MOMENT, "until": MOMENT})
LIST_LOANS_RETURNS = _object({"since": {"type": "string"}, "ratio": {"type": "number"}})
MISBEHAVE_PARAMETERS = _object({"how": {"type": "string", "enum": list(get_args(Mischief))}}, "how")
MISBEHAVE_RETURNS = _object({"done": {"type": "integer"}, "ratio": {"type": ["number", "null"]}}, "done")


def server(handlers: Handlers, *, timeout_ms: int = 5000) -> Server[LibraryCall]:
    """Bind the tools of the library to *handlers*."""
    return Server(
        name="library-mcp",
        title="Library",
        version="1.2.3",
        description="Books on shelves.",
        instructions="Ask for books.",
        dialect=LIBRARY,
        settings=(
            Setting(
                name="shelf_url",
                env="SHELF_URL",
                description="where the shelf stands",
                schema={"type": "string"},
                default=None,
                required=True,
                secret=True,
            ),
            Setting(
                name="longest_title",
                env="LONGEST_TITLE",
                description="characters of a title that are given",
                schema={"type": "integer", "minimum": 1},
                default=80,
                required=False,
                secret=False,
            ),
        ),
        sources=(ShelfSource(name="shelf", url="shelf_url"),),
        call=LibraryCall,
        handler_settings=LibrarySettings,
        tools=(
            Tool(
                name="list_books",
                title="Books",
                version="1.0.0",
                description="List the books of a shelf",
                reads=("shelf",),
                writes=(),
                request=ListBooksRequest,
                parameters=LIST_BOOKS_PARAMETERS,
                returns=LIST_BOOKS_RETURNS,
                output=_envelope(LIST_BOOKS_RETURNS),
                errors=(DeclaredError(InvalidShelf, when=At(("/shelf",))),),
                conditions=(),
                cache=CachePolicy(ttl_s=30.0, bypass="fresh"),
                paginated=True,
                timeout_ms=timeout_ms,
                nullable_results=False,
                handler=handlers.list_books,
            ),
            Tool(
                name="get_book",
                title=None,
                version="1.0.0",
                description="Get one book",
                reads=("shelf",),
                writes=(),
                request=GetBookRequest,
                parameters=GET_BOOK_PARAMETERS,
                returns=BOOK,
                output=_envelope(BOOK),
                errors=(
                    DeclaredError(ReasonTooLong, when=At(("/reason",), keyword="maxLength")),
                    DeclaredError(InvalidReason, when=At(("/reason",))),
                    DeclaredError(BookNotFound),
                ),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=timeout_ms,
                nullable_results=False,
                handler=handlers.get_book,
            ),
            Tool(
                name="list_loans",
                title=None,
                version="1.0.0",
                description="List loans of a period",
                reads=(),
                writes=(),
                request=ListLoansRequest,
                parameters=LIST_LOANS_PARAMETERS,
                returns=LIST_LOANS_RETURNS,
                output=_envelope(LIST_LOANS_RETURNS),
                errors=(DeclaredError(InvalidPeriod), DeclaredError(PeriodTooLong)),
                conditions=(
                    Ordered(pointers=("/since", "/until"), strict=True, code="INVALID_PERIOD"),
                    Span(pointers=("/since", "/until"), at_most=timedelta(days=30), code="PERIOD_TOO_LONG"),
                ),
                cache=None,
                paginated=False,
                timeout_ms=timeout_ms,
                nullable_results=False,
                handler=handlers.list_loans,
            ),
            Tool(
                name="misbehave",
                title=None,
                version="1.0.0",
                description="Do what no tool should",
                reads=("shelf",),
                writes=("shelf",),
                request=MisbehaveRequest,
                parameters=MISBEHAVE_PARAMETERS,
                returns=MISBEHAVE_RETURNS,
                output=_envelope(MISBEHAVE_RETURNS),
                errors=(DeclaredError(ShelfGone, when=On("source")),),
                conditions=(),
                cache=CachePolicy(ttl_s=10.0, bypass=None),
                paginated=False,
                timeout_ms=timeout_ms,
                nullable_results=True,
                handler=handlers.misbehave,
            ),
        ),
    )


def main() -> int:
    """Serve the library on standard input and output."""
    timeout_ms = int(os.environ.get("LIBRARY_TIMEOUT_MS", "5000"))
    sandbox = os.environ.get("LIBRARY_SANDBOX", "tests.toolpact.library_sandbox")
    return run(server(Librarian(), timeout_ms=timeout_ms), sandbox=sandbox)


if __name__ == "__main__":
    raise SystemExit(main())
