"""Typed client of library-mcp.

Generated from tests/toolaccord/contracts/demo/library.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from tests.toolaccord.generated import dialects
from tests.toolaccord.generated.demo import errors
from tests.toolaccord.generated.demo.library import models, schemas
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import PagedTool, RemoteServer, RemoteTool
from toolaccord.declarations.causes import At, DeclaredError

LIST_BOOKS: Final = PagedTool(
    name="list_books",
    request=models.ListBooksRequest,
    result=models.ListBooksResult,
    errors=(errors.InvalidShelf,),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.LIST_BOOKS_PARAMETERS,
    rejections=(DeclaredError(errors.InvalidShelf, when=At(("/shelf",))),),
    version="1.0.0",
    cache_bypass="fresh",
)
"""List the books of a shelf."""

GET_BOOK: Final = RemoteTool(
    name="get_book",
    request=models.GetBookRequest,
    result=models.GetBookResult,
    errors=(errors.ReasonTooLong, errors.InvalidReason, errors.BookNotFound),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.GET_BOOK_PARAMETERS,
    rejections=(
        DeclaredError(errors.ReasonTooLong, when=At(("/reason",), keyword="maxLength")),
        DeclaredError(errors.InvalidReason, when=At(("/reason",))),
    ),
    version="1.0.0",
)
"""Get one book."""

LIST_LOANS: Final = RemoteTool(
    name="list_loans",
    request=models.ListLoansRequest,
    result=models.ListLoansResult,
    errors=(errors.InvalidPeriod, errors.PeriodTooLong),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.LIST_LOANS_PARAMETERS,
    version="1.0.0",
)
"""List loans of a period."""

MISBEHAVE: Final = RemoteTool(
    name="misbehave",
    request=models.MisbehaveRequest,
    result=models.MisbehaveResult,
    errors=(errors.ShelfGone,),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.MISBEHAVE_PARAMETERS,
    version="1.0.0",
    writes=True,
)
"""Do what no tool should."""


class LibraryClient(ServerClient):
    """Client of library-mcp.

    Books on shelves.
    """

    _server: ClassVar = RemoteServer(
        name="library-mcp",
        module="tests.toolaccord.generated.demo.library",
        dialect=dialects.LIBRARY,
    )

    async def list_books(
        self, request: models.ListBooksRequest, **options: Unpack[CallOptions]
    ) -> models.ListBooksResult:
        """List the books of a shelf.

        May raise:
        * InvalidShelf: The name of the shelf is malformed.
        """
        return (await self.call(LIST_BOOKS, request, **options)).result

    async def get_book(self, request: models.GetBookRequest, **options: Unpack[CallOptions]) -> models.GetBookResult:
        """Get one book.

        May raise:
        * ReasonTooLong: The reason is too long.
        * InvalidReason: The reason is malformed.
        * BookNotFound: There is no such book.
        """
        return (await self.call(GET_BOOK, request, **options)).result

    async def list_loans(
        self, request: models.ListLoansRequest, **options: Unpack[CallOptions]
    ) -> models.ListLoansResult:
        """List loans of a period.

        May raise:
        * InvalidPeriod: The period ends before it begins.
        * PeriodTooLong: The period is too long.
        """
        return (await self.call(LIST_LOANS, request, **options)).result

    async def misbehave(
        self, request: models.MisbehaveRequest, **options: Unpack[CallOptions]
    ) -> models.MisbehaveResult:
        """Do what no tool should.

        May raise:
        * ShelfGone: The shelf did not answer this tool.
        """
        return (await self.call(MISBEHAVE, request, **options)).result
