import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.toolpact.library import Book, BookNotFound, GetBookRequest, ListBooksRequest
from tests.toolpact.library_client import GET_BOOK, LIST_BOOKS, LibraryClient
from toolpact.client.base import Answered, RemoteTool
from toolpact.client.connection import Said
from toolpact.errors import BrokenAnswer, UndeclaredError
from toolpact.json_values import JsonObject
from toolpact.telemetry import correlation

EMMA = {"id": 7, "title": "Emma"}
ABOUT = {"latency_ms": 3, "cached": True, "cache_ttl_remaining": 9, "source": "shelf"}
A_BOOK = GetBookRequest(id=7)


@dataclass
class Script:
    """A connection that says what it is told."""

    say: Callable[[JsonObject], Any]
    """Makes the body of an answer from the arguments; text is said as it is."""
    is_error: bool = False
    heard: list[tuple[str, JsonObject, JsonObject, float]] = field(default_factory=list)
    """Every call so far: tool, arguments, meta, time."""

    async def open(self) -> None:
        """Be there."""

    async def close(self) -> None:
        """Be gone."""

    async def call(self, tool: str, arguments: JsonObject, meta: JsonObject, timeout_s: float) -> Said:
        self.heard.append((tool, arguments, meta, timeout_s))
        body = self.say(arguments)
        text = body if isinstance(body, str) else json.dumps(body)
        return Said(text=text, is_error=self.is_error, corr_id="abc")


def success(result: Any) -> Script:
    return Script(lambda _: {"data": result, "_metadata": ABOUT})


def failure(error: JsonObject) -> Script:
    return Script(lambda _: {"error": error, "_metadata": {"latency_ms": 1}}, is_error=True)


async def book(script: Script, request: GetBookRequest = A_BOOK) -> Answered[Book]:
    """What get_book answers."""
    async with LibraryClient(script) as client:
        return await client.call(GET_BOOK, request)


async def test_an_answer_is_the_result_and_what_the_server_says_about_it() -> None:
    assert await book(success(EMMA)) == Answered(
        result=Book(id=7, title="Emma"),
        corr_id="abc",
        latency_ms=3,
        cached=True,
        cache_ttl_remaining=9,
        source="shelf",
    )


async def test_what_the_dialect_does_not_say_is_none() -> None:
    answered = await book(Script(lambda _: {"data": EMMA}))
    assert (answered.latency_ms, answered.cached, answered.source) == (None, None, None)


async def test_only_what_was_set_is_sent_and_none_is_absence() -> None:
    script = success(EMMA)
    await book(script)
    await book(script, GetBookRequest(id=7, reason=None))
    await book(script, GetBookRequest(id=7, reason="why"))
    assert [arguments for _, arguments, _, _ in script.heard] == [{"id": 7}, {"id": 7}, {"id": 7, "reason": "why"}]


async def test_null_is_sent_where_the_parameters_admit_it() -> None:
    script = success(EMMA)
    nullable = RemoteTool(
        name="get_book", request=GetBookRequest, result=Book, errors=(), timeout_s=5, nullable_arguments=True
    )
    async with LibraryClient(script) as client:
        await client.call(nullable, GetBookRequest(id=7, reason=None))
    assert script.heard[0][1] == {"id": 7, "reason": None}


async def test_a_declared_error_has_the_details_that_the_server_says_whatever_its_own_arguments_are() -> None:
    details = {"book": 7, "violations": []}
    with pytest.raises(BookNotFound) as caught:
        await book(failure({"code": "BOOK_NOT_FOUND", "message": "no such book", "details": details}))
    assert (caught.value.message, caught.value.details) == ("no such book", details)
    assert caught.value.__notes__ == ["library-mcp logged the call as abc."]


async def test_another_code_is_an_undeclared_error() -> None:
    with pytest.raises(UndeclaredError, match="LIBRARY_ON_FIRE: run") as caught:
        await book(failure({"code": "LIBRARY_ON_FIRE", "message": "run", "details": {"floor": 2}}))
    assert (caught.value.code, caught.value.message, caught.value.details) == ("LIBRARY_ON_FIRE", "run", {"floor": 2})


async def test_an_error_without_details_has_none() -> None:
    with pytest.raises(UndeclaredError) as caught:
        await book(failure({"code": "INTERNAL_ERROR", "message": "The server failed to answer."}))
    assert caught.value.details == {}


@pytest.mark.parametrize(
    "script",
    [
        Script(lambda _: "no JSON"),
        Script(lambda _: []),
        Script(lambda _: {"result": EMMA}),
        success({"id": 7}),
        success({"id": "seven", "title": "Emma"}),
        failure({"message": "no code"}),
        Script(lambda _: "null", is_error=True),
    ],
)
async def test_what_the_contract_does_not_promise_is_a_broken_answer(script: Script) -> None:
    with pytest.raises(BrokenAnswer, match="library-mcp answered get_book"):
        await book(script)


async def test_numbers_of_any_size_arrive_whole() -> None:
    answered = await book(success({"id": 2**80, "title": "Emma"}))
    assert answered.result.id == 2**80


async def test_a_call_has_a_little_more_time_than_the_tool_unless_it_says_otherwise() -> None:
    script = success(EMMA)
    async with LibraryClient(script) as client:
        await client.call(GET_BOOK, A_BOOK)
        await client.call(GET_BOOK, A_BOOK, timeout_s=0.5)
    assert [timeout_s for *_, timeout_s in script.heard] == [10.0, 0.5]


async def test_what_is_said_about_a_call_is_its_meta() -> None:
    script = success(EMMA)
    traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    async with LibraryClient(script) as client:
        await client.call(GET_BOOK, A_BOOK)
        await client.call(
            GET_BOOK, A_BOOK, timeout_s=1, corr_id="mine", traceparent=traceparent, idempotency_key="once"
        )
    assert [meta for _, _, meta, _ in script.heard] == [
        {},
        {"corr_id": "mine", "traceparent": traceparent, "idempotency_key": "once"},
    ]


async def test_the_id_of_the_call_that_is_being_answered_goes_on_with_the_calls_it_makes() -> None:
    script = success(EMMA)
    async with LibraryClient(script) as client:
        with correlation.CorrelationScope("outer"):
            await client.call(GET_BOOK, A_BOOK)
            await client.call(GET_BOOK, A_BOOK, corr_id="own")
    assert [meta["corr_id"] for _, _, meta, _ in script.heard] == ["outer", "own"]


def shelf(total: int) -> Callable[[JsonObject], JsonObject]:
    """A list of *total* books, as list_books gives it."""

    def page(arguments: JsonObject) -> JsonObject:
        offset, limit = arguments.get("offset", 0), arguments.get("limit", 2)
        items = [{"id": number, "title": "A"} for number in range(offset, min(offset + limit, total))]
        place = {"offset": offset, "limit": limit, "total": total, "has_more": offset + len(items) < total}
        return {"data": {"items": items, "pagination": place}}

    return page


@pytest.mark.parametrize("total, lengths", [(0, [0]), (2, [2]), (5, [2, 2, 1])])
async def test_pages_come_one_after_the_other_to_the_last(total: int, lengths: list[int]) -> None:
    async with LibraryClient(Script(shelf(total))) as client:
        pages = [page async for page in client.pages(LIST_BOOKS, ListBooksRequest(shelf="A"))]
    assert [len(page.items) for page in pages] == lengths
    assert [book.id for page in pages for book in page.items] == list(range(total))


async def test_pages_begin_where_the_request_says() -> None:
    script = Script(shelf(5))
    async with LibraryClient(script) as client:
        pages = [page async for page in client.pages(LIST_BOOKS, ListBooksRequest(shelf="A", offset=3, limit=1))]
    assert [book.id for page in pages for book in page.items] == [3, 4]
    assert script.heard[1][1] == {"shelf": "A", "offset": 4, "limit": 1}


async def test_an_empty_page_ends_the_list_whatever_it_says() -> None:
    place = {"offset": 0, "limit": 2, "total": 9, "has_more": True}
    async with LibraryClient(Script(lambda _: {"data": {"items": [], "pagination": place}})) as client:
        assert len([page async for page in client.pages(LIST_BOOKS, ListBooksRequest(shelf="A"))]) == 1
