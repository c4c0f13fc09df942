"""A client of the library, in the shape that the compiler writes."""

from typing import ClassVar, Final

from tests.toolpact import library
from toolpact.client.base import PagedTool, RemoteServer, RemoteTool, ServerClient


class ListBooksResult(library.Record):
    """Result of list_books."""

    items: list[library.Book]
    pagination: "Place"


class Place(library.Record):
    """Where a page lies in its list."""

    offset: int
    limit: int
    total: int
    has_more: bool


LIST_BOOKS: Final = PagedTool(
    name="list_books",
    request=library.ListBooksRequest,
    result=ListBooksResult,
    errors=(library.InvalidShelf,),
    timeout_s=5.0,
    nullable_arguments=False,
)
GET_BOOK: Final = RemoteTool(
    name="get_book",
    request=library.GetBookRequest,
    result=library.Book,
    errors=(library.BookNotFound,),
    timeout_s=5.0,
    nullable_arguments=False,
)
MISBEHAVE: Final = RemoteTool(
    name="misbehave",
    request=library.MisbehaveRequest,
    result=library.MisbehaveResult,
    errors=(library.ShelfGone,),
    timeout_s=5.0,
    nullable_arguments=False,
)


class LibraryClient(ServerClient):
    """Calls the library."""

    _server: ClassVar = RemoteServer(name="library-mcp", module="tests.toolpact.library", dialect=library.LIBRARY)
