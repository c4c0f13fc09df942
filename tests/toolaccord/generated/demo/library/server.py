"""Declaration of library-mcp.

Books on shelves.

Generated from tests/toolaccord/contracts/demo/library.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from tests.toolaccord.generated.demo import errors
from tests.toolaccord.generated.demo.library import models, schemas
from tests.toolaccord.generated.dialects import LIBRARY
from toolaccord import Page, Row
from toolaccord.declarations.causes import At, DeclaredError, On
from toolaccord.declarations.tool import Server, Tool
from toolaccord.semantics.conditions import Ordered, Span
from toolaccord.semantics.policies import CachePolicy
from toolaccord.semantics.settings import Setting
from toolaccord.sources.http import Http, HttpSource


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarySettings:
    """Settings of the handlers, from the environment."""

    longest_title: int
    """characters of a title that are given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryCall:
    """Sources, settings and time that a handler of library-mcp gets with a request."""

    shelf: Http
    settings: LibrarySettings
    now: datetime
    """Time of the call, in UTC."""


class Handlers(Protocol):
    """One coroutine for each tool, implemented in `tests.toolaccord.demo.library`."""

    async def list_books(self, request: models.ListBooksRequest, call: LibraryCall, /) -> Page[models.Book | Row]:
        """List the books of a shelf."""

    async def get_book(self, request: models.GetBookRequest, call: LibraryCall, /) -> models.GetBookResult:
        """Get one book."""

    async def list_loans(self, request: models.ListLoansRequest, call: LibraryCall, /) -> models.ListLoansResult:
        """List loans of a period."""

    async def misbehave(self, request: models.MisbehaveRequest, call: LibraryCall, /) -> models.MisbehaveResult:
        """Do what no tool should."""


def server(handlers: Handlers) -> Server[LibraryCall]:
    """Bind the tools of library-mcp to *handlers*."""
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
                required=True,
                secret=True,
            ),
            Setting(
                name="longest_title",
                env="LONGEST_TITLE",
                description="characters of a title that are given",
                schema={"type": "integer", "minimum": 1},
                default=80,
            ),
        ),
        sources=(
            HttpSource(
                name="shelf",
                url="shelf_url",
                client="library-mcp/1.2.3",
                max_connections=1,
                connection_timeout_s=1,
                timeout_s=1,
            ),
        ),
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
                request=models.ListBooksRequest,
                parameters=schemas.LIST_BOOKS_PARAMETERS,
                returns=schemas.LIST_BOOKS_RETURNS,
                output=schemas.LIST_BOOKS_OUTPUT,
                errors=(DeclaredError(errors.InvalidShelf, when=At(("/shelf",))),),
                conditions=(),
                cache=CachePolicy(ttl_s=30, bypass="fresh"),
                paginated=True,
                timeout_ms=5000,
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
                request=models.GetBookRequest,
                parameters=schemas.GET_BOOK_PARAMETERS,
                returns=schemas.GET_BOOK_RETURNS,
                output=schemas.GET_BOOK_OUTPUT,
                errors=(
                    DeclaredError(errors.ReasonTooLong, when=At(("/reason",), keyword="maxLength")),
                    DeclaredError(errors.InvalidReason, when=At(("/reason",))),
                    DeclaredError(errors.BookNotFound),
                ),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
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
                request=models.ListLoansRequest,
                parameters=schemas.LIST_LOANS_PARAMETERS,
                returns=schemas.LIST_LOANS_RETURNS,
                output=schemas.LIST_LOANS_OUTPUT,
                errors=(
                    DeclaredError(errors.InvalidPeriod),
                    DeclaredError(errors.PeriodTooLong),
                ),
                conditions=(
                    Ordered(pointers=("/since", "/until"), strict=True, code="INVALID_PERIOD"),
                    Span(pointers=("/since", "/until"), at_most=timedelta(seconds=2592000), code="PERIOD_TOO_LONG"),
                ),
                cache=None,
                paginated=False,
                timeout_ms=5000,
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
                request=models.MisbehaveRequest,
                parameters=schemas.MISBEHAVE_PARAMETERS,
                returns=schemas.MISBEHAVE_RETURNS,
                output=schemas.MISBEHAVE_OUTPUT,
                errors=(DeclaredError(errors.ShelfGone, when=On("source")),),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=True,
                handler=handlers.misbehave,
            ),
        ),
    )
