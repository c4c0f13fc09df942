import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.toolaccord.demo.library import Book, BookNotFound, GetBookRequest, ListBooksRequest
from tests.toolaccord.demo.library_client import LibraryClient
from tests.toolaccord.generated.demo.library.client import GET_BOOK, LIST_BOOKS
from tests.toolaccord.generated.dialects import LEDGER
from toolaccord.client.answers import build_error
from toolaccord.client.calls import CallResult
from toolaccord.client.connection import ToolResponse
from toolaccord.client.declarations import RemoteTool
from toolaccord.contract.dialects import StandardCode
from toolaccord.errors import (
    BrokenAnswer,
    CallFailed,
    RateLimited,
    ServerGone,
    TimedOut,
    TransportError,
    Unauthorised,
    Unavailable,
    UndeclaredError,
)
from toolaccord.json_values import JsonObject
from toolaccord.telemetry import correlation

EMMA = {"id": 7, "title": "Emma"}
METADATA = {"latency_ms": 3, "cached": True, "cache_ttl_remaining": 9, "source": "shelf"}
A_BOOK = GetBookRequest(id=7)


@dataclass
class FakeConnection:
    """Connection that records calls and returns prepared answers."""

    answer: Callable[[JsonObject], Any]
    """Makes the body of an answer from the arguments; a string is sent unchanged."""
    is_error: bool = False
    calls: list[tuple[str, JsonObject, JsonObject, float]] = field(default_factory=list)
    """Every call: tool, arguments, meta, time limit in seconds."""

    async def open(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""

    async def call(self, tool: str, arguments: JsonObject, meta: JsonObject, timeout_s: float) -> ToolResponse:
        self.calls.append((tool, arguments, meta, timeout_s))
        body = self.answer(arguments)
        text = body if isinstance(body, str) else json.dumps(body)
        return ToolResponse(text=text, is_error=self.is_error, corr_id="abc")


def success(result: Any) -> FakeConnection:
    return FakeConnection(lambda _: {"data": result, "_metadata": METADATA})


def failure(error: JsonObject) -> FakeConnection:
    return FakeConnection(lambda _: {"error": error, "_metadata": {"latency_ms": 1}}, is_error=True)


async def call_get_book(connection: FakeConnection, request: GetBookRequest = A_BOOK) -> CallResult[Book]:
    """Return the result of get_book."""
    async with LibraryClient(connection) as client:
        return await client.call(GET_BOOK, request)


async def test_a_call_returns_the_result_and_its_metadata() -> None:
    assert await call_get_book(success(EMMA)) == CallResult(
        result=Book(id=7, title="Emma"),
        corr_id="abc",
        latency_ms=3,
        cached=True,
        cache_ttl_remaining=9,
        source="shelf",
    )


async def test_metadata_that_the_dialect_does_not_send_is_none() -> None:
    answered = await call_get_book(FakeConnection(lambda _: {"data": EMMA}))
    assert (answered.latency_ms, answered.cached, answered.source) == (None, None, None)


async def test_only_members_that_were_set_and_are_not_none_are_sent() -> None:
    connection = success(EMMA)
    await call_get_book(connection)
    await call_get_book(connection, GetBookRequest(id=7, reason=None))
    await call_get_book(connection, GetBookRequest(id=7, reason="why"))
    assert [arguments for _, arguments, _, _ in connection.calls] == [{"id": 7}, {"id": 7}, {"id": 7, "reason": "why"}]


async def test_null_is_sent_if_the_parameters_admit_it() -> None:
    connection = success(EMMA)
    nullable = RemoteTool(
        name="get_book", request=GetBookRequest, result=Book, errors=(), timeout_s=5, nullable_arguments=True
    )
    async with LibraryClient(connection) as client:
        await client.call(nullable, GetBookRequest(id=7, reason=None))
    assert connection.calls[0][1] == {"id": 7, "reason": None}


async def test_a_declared_error_carries_the_details_that_the_server_sent() -> None:
    details = {"book": 7, "violations": []}
    with pytest.raises(BookNotFound) as caught:
        await call_get_book(failure({"code": "BOOK_NOT_FOUND", "message": "no such book", "details": details}))
    assert (caught.value.message, caught.value.details) == ("no such book", details)
    assert caught.value.__notes__ == ["library-mcp logged the call as abc."]


async def test_an_undeclared_code_raises_undeclared_error() -> None:
    with pytest.raises(UndeclaredError, match="LIBRARY_ON_FIRE: run") as caught:
        await call_get_book(failure({"code": "LIBRARY_ON_FIRE", "message": "run", "details": {"floor": 2}}))
    assert (caught.value.code, caught.value.message, caught.value.details) == ("LIBRARY_ON_FIRE", "run", {"floor": 2})


@pytest.mark.parametrize("http, kind", [(429, RateLimited), (503, Unavailable), (500, None)])
def test_an_undeclared_code_of_a_busy_server_has_a_class_by_its_http_status(
    http: int, kind: type[CallFailed] | None
) -> None:
    codes = {"BUSY": StandardCode(http=http, description="Busy", retryable=True)}
    busy = build_error(replace(LEDGER, codes=codes), (), {"code": "BUSY", "details": {"retry_after_s": 2}})
    assert isinstance(busy, UndeclaredError)
    for each in (RateLimited, Unavailable):
        assert isinstance(busy, each) is (each is kind)
    assert (busy.retryable, busy.details) == (True, {"retry_after_s": 2})


async def test_an_undeclared_error_is_retryable_if_the_dialect_says_so() -> None:
    retryable = {}
    for code in ("TIMEOUT", "INTERNAL_ERROR", "LIBRARY_ON_FIRE"):
        with pytest.raises(UndeclaredError) as caught:
            await call_get_book(failure({"code": code, "message": "run", "details": {}}))
        retryable[code] = caught.value.retryable
    assert retryable == {"TIMEOUT": True, "INTERNAL_ERROR": False, "LIBRARY_ON_FIRE": False}


def test_a_server_that_did_not_answer_may_be_called_again_unless_it_rejected_the_token() -> None:
    retryable = {
        each: each("x").retryable for each in (ServerGone, TimedOut, TransportError, Unauthorised, BrokenAnswer)
    }
    assert retryable == {
        ServerGone: True,
        TimedOut: True,
        TransportError: True,
        Unauthorised: False,
        BrokenAnswer: False,
    }
    assert not BookNotFound.retryable


async def test_an_error_without_details_has_none() -> None:
    with pytest.raises(UndeclaredError) as caught:
        await call_get_book(failure({"code": "INTERNAL_ERROR", "message": "The server failed to answer."}))
    assert caught.value.details == {}


@pytest.mark.parametrize(
    "connection",
    [
        FakeConnection(lambda _: "no JSON"),
        FakeConnection(lambda _: []),
        FakeConnection(lambda _: {"result": EMMA}),
        success({"id": 7}),
        success({"id": "seven", "title": "Emma"}),
        failure({"message": "no code"}),
        FakeConnection(lambda _: "null", is_error=True),
    ],
)
async def test_an_answer_that_breaks_the_contract_raises_broken_answer(connection: FakeConnection) -> None:
    with pytest.raises(BrokenAnswer, match="library-mcp answered get_book"):
        await call_get_book(connection)


async def test_large_integers_keep_every_digit() -> None:
    answered = await call_get_book(success({"id": 2**80, "title": "Emma"}))
    assert answered.result.id == 2**80


async def test_the_default_time_limit_is_the_deadline_of_the_tool_and_five_seconds() -> None:
    connection = success(EMMA)
    async with LibraryClient(connection) as client:
        await client.call(GET_BOOK, A_BOOK)
        await client.call(GET_BOOK, A_BOOK, timeout_s=0.5)
    assert [timeout_s for *_, timeout_s in connection.calls] == [10.0, 0.5]


async def test_the_options_of_a_call_become_its_meta() -> None:
    connection = success(EMMA)
    traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    async with LibraryClient(connection) as client:
        await client.call(GET_BOOK, A_BOOK)
        await client.call(
            GET_BOOK, A_BOOK, timeout_s=1, corr_id="mine", traceparent=traceparent, idempotency_key="once"
        )
    assert [meta for _, _, meta, _ in connection.calls] == [
        {"version": GET_BOOK.version},
        {"version": GET_BOOK.version, "corr_id": "mine", "traceparent": traceparent, "idempotency_key": "once"},
    ]


async def test_a_call_sends_the_correlation_id_of_the_call_being_answered() -> None:
    connection = success(EMMA)
    async with LibraryClient(connection) as client:
        with correlation.CorrelationScope("outer"):
            await client.call(GET_BOOK, A_BOOK)
            await client.call(GET_BOOK, A_BOOK, corr_id="own")
    assert [meta["corr_id"] for _, _, meta, _ in connection.calls] == ["outer", "own"]


def list_shelf(total: int) -> Callable[[JsonObject], JsonObject]:
    """Return a function that answers list_books from *total* books."""

    def page(arguments: JsonObject) -> JsonObject:
        offset, limit = arguments.get("offset", 0), arguments.get("limit", 2)
        items = [{"id": number, "title": "A"} for number in range(offset, min(offset + limit, total))]
        place = {"offset": offset, "limit": limit, "total": total, "has_more": offset + len(items) < total}
        return {"data": {"items": items, "pagination": place}}

    return page


@pytest.mark.parametrize("total, lengths", [(0, [0]), (2, [2]), (5, [2, 2, 1])])
async def test_pages_yields_every_page_in_order(total: int, lengths: list[int]) -> None:
    async with LibraryClient(FakeConnection(list_shelf(total))) as client:
        pages = [page async for page in client.pages(LIST_BOOKS, ListBooksRequest(shelf="A"))]
    assert [len(page.items) for page in pages] == lengths
    assert [book.id for page in pages for book in page.items] == list(range(total))


async def test_pages_starts_at_the_page_of_the_request() -> None:
    connection = FakeConnection(list_shelf(5))
    async with LibraryClient(connection) as client:
        pages = [page async for page in client.pages(LIST_BOOKS, ListBooksRequest(shelf="A", offset=3, limit=1))]
    assert [book.id for page in pages for book in page.items] == [3, 4]
    assert connection.calls[1][1] == {"shelf": "A", "offset": 4, "limit": 1}


async def test_an_empty_page_ends_the_list_even_if_it_announces_more() -> None:
    place = {"offset": 0, "limit": 2, "total": 9, "has_more": True}
    async with LibraryClient(FakeConnection(lambda _: {"data": {"items": [], "pagination": place}})) as client:
        assert len([page async for page in client.pages(LIST_BOOKS, ListBooksRequest(shelf="A"))]) == 1
