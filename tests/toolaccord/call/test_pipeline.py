import asyncio
import json
import logging
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from tests.toolaccord.demo import library
from tests.toolaccord.demo.library import Librarian, LibraryCall, WoodenShelf
from toolaccord.call.pipeline import Pipeline
from toolaccord.call.response import Answer
from toolaccord.contract.policies import CachePolicy
from toolaccord.declarations.tool import Server
from toolaccord.errors import SourceError, UnknownTool
from toolaccord.handler import Page, Provisional
from toolaccord.schema.validator import SchemaValidator
from toolaccord.testing import ManualClock, capture_logs, pipeline


class Desk:
    """A library whose parts a test can see."""

    def __init__(self, handlers: library.Handlers | None = None) -> None:
        self.shelf = WoodenShelf("shelf://s3cr3t")
        self.clock = ManualClock()
        self.server = library.server(handlers or Librarian())
        self.pipeline = self.pipeline_of(self.server)

    def pipeline_of(self, server: Server[LibraryCall]) -> Pipeline:
        settings = {"shelf_url": "s3cr3t"}
        return pipeline(server, sources={"shelf": self.shelf}, settings=settings, clock=self.clock)

    async def call(self, name: str, arguments: Any, meta: Mapping[str, Any] | None = None) -> Answer:
        return await self.pipeline.call(name, arguments, meta)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def error(answer: Answer) -> dict[str, Any]:
    assert answer.is_error
    found: dict[str, Any] = answer.body["error"]
    assert found["code"] == answer.code
    return found


async def test_a_result_comes_in_the_envelope_of_the_dialect(desk: Desk) -> None:
    answer = await desk.call("get_book", {"id": 7})
    assert answer.body == {
        "data": {"id": 7, "title": "get 7"},
        "_metadata": {"latency_ms": 0, "cached": False, "cache_ttl_remaining": None, "source": "shelf"},
    }
    assert json.loads(answer.text) == answer.body
    assert (answer.is_error, answer.code, answer.http) == (False, None, 200)


async def test_an_envelope_may_hold_the_correlation_id(desk: Desk) -> None:
    placed = {"$": "corr_id"}
    dialect = replace(desk.server.dialect, success={"id": placed, "data": {"$": "result"}}, failure={"id": placed})
    answers = desk.pipeline_of(replace(desk.server, dialect=dialect))
    good = await answers.call("get_book", {"id": 7}, {"corr_id": "abc"})
    bad = await answers.call("get_book", {"id": 999}, {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"})
    assert (good.body["id"], good.corr_id) == ("abc", "abc")
    assert (bad.body["id"], bad.corr_id) == ("a" * 32, "a" * 32)


async def test_a_cached_result_is_answered_with_the_correlation_id_of_its_call(desk: Desk) -> None:
    first = await desk.call("list_books", {"shelf": "A"}, {"corr_id": "first"})
    second = await desk.call("list_books", {"shelf": "A"}, {"corr_id": "second"})
    assert second.body["_metadata"]["cached"]
    assert (first.corr_id, second.corr_id) == ("first", "second")


async def test_an_unknown_tool_raises(desk: Desk) -> None:
    with pytest.raises(UnknownTool):
        await desk.call("nonsense", {})


async def test_a_page_reports_if_there_are_more_items(desk: Desk) -> None:
    async def page(offset: int) -> dict[str, Any]:
        answer = await desk.call("list_books", {"shelf": "A", "limit": 100, "offset": offset})
        found: dict[str, Any] = answer.body["data"]["pagination"]
        return found

    assert await page(0) == {"offset": 0, "limit": 100, "total": 200, "has_more": True}
    assert await page(100) == {"offset": 100, "limit": 100, "total": 200, "has_more": False}
    assert await page(1000) == {"offset": 1000, "limit": 100, "total": 200, "has_more": False}


async def test_offset_and_limit_may_be_integral_numbers(desk: Desk) -> None:
    answer = await desk.call("list_books", {"shelf": "A", "limit": 1.0})
    assert len(answer.body["data"]["items"]) == 1
    assert type(answer.body["data"]["pagination"]["limit"]) is int


async def test_a_page_may_hold_plain_values(desk: Desk) -> None:
    async def days(_request: library.ListBooksRequest, _call: LibraryCall) -> Page[date]:
        return Page([date(2026, 1, 31), date(2026, 2, 1)], 2)

    pagination = library.LIST_BOOKS_RETURNS["properties"]["pagination"]
    items = {"type": "array", "items": {"type": "string", "format": "date"}}
    returns = {"type": "object", "properties": {"items": items, "pagination": pagination}}
    tool = replace(desk.server.tools[0], returns=returns, handler=days)
    answer = await desk.pipeline_of(replace(desk.server, tools=(tool,))).call("list_books", {"shelf": "A"})
    assert answer.body["data"]["items"] == ["2026-01-31", "2026-02-01"]


# --- arguments -----------------------------------------------------------------------------------------------------


async def test_one_error_names_every_invalid_argument(desk: Desk) -> None:
    answer = await desk.call("list_books", {"shelf": "A", "limit": "5", "offset": -1, "x": 1})
    found = error(answer)
    assert (found["code"], answer.http) == ("INVALID_PARAMETER", 400)
    assert [each["at"] for each in found["details"]["violations"]] == ["/limit", "/offset", "/x"]
    assert found["message"] == "/limit must be an integer; /offset must be at least 0; /x is not known."


@pytest.mark.parametrize("arguments", [{}, {"shelf": 5}, {"shelf": "a", "limit": "5"}])
async def test_a_code_bound_to_a_place_wins_over_the_general_one(desk: Desk, arguments: dict[str, Any]) -> None:
    assert error(await desk.call("list_books", arguments))["code"] == "INVALID_SHELF"


async def test_a_code_may_be_bound_to_one_keyword_of_a_place(desk: Desk) -> None:
    too_long = await desk.call("get_book", {"id": 1, "reason": "a" * 21})
    malformed = await desk.call("get_book", {"id": 1, "reason": "A"})
    both = await desk.call("get_book", {"id": 1, "reason": "A" * 21})
    assert (too_long.code, too_long.http) == ("REASON_TOO_LONG", 422)
    assert (malformed.code, malformed.http) == ("INVALID_REASON", 400)
    assert both.code == "REASON_TOO_LONG", "the first code in the contract's order counts"


@pytest.mark.parametrize("arguments", [{"id": "1"}, {"id": math.nan}, {"id": True}, {"id": 1.5}, {"id": 0}, [1], "x"])
async def test_a_number_that_is_no_integer_is_rejected(desk: Desk, arguments: Any) -> None:
    assert error(await desk.call("get_book", arguments))["code"] == "INVALID_PARAMETER"
    assert desk.shelf.lookups == 0


async def test_an_integral_number_reaches_the_handler_as_an_integer() -> None:
    seen: list[int] = []

    class Reader(Librarian):
        async def get_book(self, request: library.GetBookRequest, call: LibraryCall, /) -> library.Book:
            seen.append(request.id)
            return await super().get_book(request, call)

    answer = await Desk(Reader()).call("get_book", {"id": 5.0})
    assert not answer.is_error
    assert [(type(each), each) for each in seen] == [(int, 5)]


async def test_conditions_have_their_own_codes(desk: Desk) -> None:
    reversed_ = await desk.call("list_loans", {"since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"})
    long = await desk.call("list_loans", {"since": "2026-01-02T00:00:00Z", "until": "2026-03-01T00:00:00Z"})
    assert (reversed_.code, reversed_.http, long.code) == ("INVALID_PERIOD", 422, "PERIOD_TOO_LONG")
    assert not (await desk.call("list_loans", {"since": "2026-01-02T00:00:00Z"})).is_error


async def test_a_leap_second_is_a_violation_and_not_an_internal_error(desk: Desk) -> None:
    answer = await desk.call("list_loans", {"since": "2016-12-31T23:59:60Z", "until": "2026-01-01T00:00:00Z"})
    assert error(answer)["details"]["violations"][0]["at"] == "/since"
    assert answer.code == "INVALID_PARAMETER"


async def test_thousands_of_violations_make_an_answer_of_bounded_size(desk: Desk) -> None:
    answer = await desk.call("get_book", {"id": 1} | {f"unknown{number}": 1 for number in range(10_000)})
    assert len(answer.text) < 20_000
    assert "and at least 90 more" in error(answer)["message"]


# --- errors --------------------------------------------------------------------------------------------------------


async def test_a_declared_error_keeps_its_message_and_details(desk: Desk) -> None:
    answer = await desk.call("get_book", {"id": 999})
    assert error(answer) == {"code": "BOOK_NOT_FOUND", "message": "there is no book 999", "details": {"book": 999}}
    assert answer.http == 404


async def test_a_failed_source_has_the_code_that_the_contract_binds_to_it(desk: Desk) -> None:
    with capture_logs(logging.DEBUG) as records:
        answer = await desk.call("misbehave", {"how": "source"})
    assert (answer.code, answer.http) == ("SHELF_GONE", 503)
    assert "s3cr3t" not in answer.text
    assert any(record.exc_info for record in records)


@pytest.mark.parametrize("how", ["crash", "undeclared", "break", "stranger", "cancel"])
async def test_an_internal_error_is_logged_and_its_text_is_not_sent(desk: Desk, how: str) -> None:
    with capture_logs() as records:
        answer = await desk.call("misbehave", {"how": how})
    assert error(answer) == {"code": "INTERNAL_ERROR", "message": "The server failed to answer.", "details": {}}
    assert answer.http == 500
    (logged,) = (record for record in records if record.levelno == logging.ERROR)
    assert logged.exc_info is not None
    assert (" does not declare; add it to its errors" in logged.getMessage()) == (how == "undeclared")


def _cancels_itself() -> None:
    asyncio.current_task().cancel()  # type: ignore[union-attr] # it runs in one


def _panics() -> None:
    raise BaseException  # noqa: TRY002 - as an extension in Rust does that comes upon a bug of its own


def _closes() -> None:
    raise GeneratorExit


@pytest.mark.parametrize("end", [_cancels_itself, _panics, _closes, sys.exit])
async def test_every_call_is_answered_and_logged_once_for_any_end_of_its_handler(end: Callable[[], None]) -> None:
    class Wild(Librarian):
        async def get_book(self, request: library.GetBookRequest, call: LibraryCall, /) -> library.Book:
            end()
            await asyncio.sleep(0)
            return await super().get_book(request, call)

    with capture_logs() as records:
        answer = await Desk(Wild()).call("get_book", {"id": 7})
    assert (answer.code, answer.http) == ("INTERNAL_ERROR", 500)
    assert [record.getMessage() for record in records] == ["the server is at fault", "call"]


async def test_a_secret_in_a_declared_error_is_hidden() -> None:
    class Careless(Librarian):
        async def get_book(self, request: library.GetBookRequest, _call: LibraryCall, /) -> library.Book:
            raise library.BookNotFound("not at s3cr3t", book=request.id)

    assert error(await Desk(Careless()).call("get_book", {"id": 1}))["message"] == "not at ***"


@pytest.mark.parametrize("secret", ["error", "code", "BOOK_NOT_FOUND", "shelf", "book", "data"])
async def test_a_secret_that_is_a_common_word_leaves_an_answer_its_shape(secret: str) -> None:
    class Careless(Librarian):
        async def get_book(self, request: library.GetBookRequest, _call: LibraryCall, /) -> library.Book:
            error = library.BookNotFound(f"not at {secret}", book=request.id)
            error.details[secret] = [secret]
            raise error

    desk = Desk(Careless())
    desk.pipeline = pipeline(
        desk.server, sources={"shelf": desk.shelf}, settings={"shelf_url": secret}, clock=desk.clock
    )
    found = error(await desk.call("get_book", {"id": 1}))
    assert found == {
        "code": "BOOK_NOT_FOUND",
        "message": "not at ***",
        "details": {"book": 1} | {secret: ["***"]},
    }
    refused = error(await desk.call("get_book", {"id": "x"}))
    assert refused["details"]["violations"][0] == {"at": "/id", "keyword": "type", "message": "/id must be an integer"}


async def test_an_answer_that_cannot_be_built_becomes_an_internal_error() -> None:
    class Odd(Librarian):
        async def get_book(self, request: library.GetBookRequest, _call: LibraryCall, /) -> library.Book:
            error = library.BookNotFound("no", book=request.id)
            nested: Any = 1
            for _ in range(100_000):
                nested = {"a": nested}
            error.message = nested
            raise error

    with capture_logs() as records:
        answer = await Desk(Odd()).call("get_book", {"id": 1})
    assert error(answer) == {"code": "INTERNAL_ERROR", "message": "The server failed to answer.", "details": {}}
    assert [record.getMessage() for record in records] == ["the server is at fault", "call"]


async def test_an_envelope_that_cannot_be_filled_raises_nothing() -> None:
    desk = Desk()
    server = replace(desk.server, dialect=replace(library.LIBRARY, failure={"$": "nonsense"}))
    answer = await desk.pipeline_of(server).call("get_book", {"id": 999})
    assert (answer.is_error, answer.code, answer.http) == (True, "INTERNAL_ERROR", 500)
    assert answer.body == {"error": {"code": "INTERNAL_ERROR", "message": "The server failed to answer."}}


async def test_a_call_is_answered_even_if_it_cannot_be_recorded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("no space is left")

    monkeypatch.setattr("toolaccord.call.instrumentation.json_logs.log_event", full)
    with capture_logs() as records:
        answer = await desk.call("get_book", {"id": 7})
    assert not answer.is_error
    assert [record.getMessage() for record in records] == ["a call could not be recorded"]


async def test_arguments_without_a_json_form_are_answered_and_logged(desk: Desk) -> None:
    nested: Any = 1
    for _ in range(100_000):
        nested = [nested]
    with capture_logs() as records:
        answer = await desk.call("get_book", {"id": nested})
    assert answer.code == "INVALID_PARAMETER"
    (facts,) = (vars(record)["fields"] for record in records if record.getMessage() == "call")
    assert facts["input_size_bytes"] is None


async def test_arguments_are_validated_once_unless_the_failure_envelope_repeats_them(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    again: list[Any] = []
    monkeypatch.setattr(SchemaValidator, "valid_members", lambda _self, value: again.append(value))
    assert (await desk.call("get_book", {"id": "x"})).code == "INVALID_PARAMETER"
    assert again == []


async def test_details_without_a_json_form_become_text() -> None:
    class Odd(Librarian):
        async def get_book(self, request: library.GetBookRequest, call: LibraryCall, /) -> library.Book:
            error = library.BookNotFound("no", book=request.id)
            error.details = {"when": call.now, 5: math.nan, "shelf": object}  # type: ignore[dict-item]
            raise error

    details = error(await Desk(Odd()).call("get_book", {"id": 1}))["details"]
    assert details["when"].startswith("2026-01-01T00:00:00")
    assert details["5"] is None


async def test_a_result_with_nan_is_not_sent(desk: Desk) -> None:
    assert (await desk.call("misbehave", {"how": "nan"})).code == "INTERNAL_ERROR"


async def test_a_failure_envelope_in_the_shape_of_results_repeats_valid_arguments() -> None:
    desk = Desk()
    failure = {"metadata": {"$": "arguments_in", "at": ""}, "data": {"$": "empty_of", "at": "/items"}}
    server = replace(desk.server, dialect=replace(library.LIBRARY, failure=failure))
    properties = {"shelf": {}, "limit": {}, "offset": {}, "kind": {"const": "book"}, "items": {"type": "array"}}
    tool = replace(server.tools[0], returns={"type": "object", "properties": properties})
    answer = await desk.pipeline_of(replace(server, tools=(tool,))).call("list_books", {"shelf": "A", "limit": "x"})
    assert answer.body == {"metadata": {"shelf": "A", "offset": 0, "kind": "book"}, "data": []}


# --- deadline ------------------------------------------------------------------------------------------------------


async def test_a_handler_past_its_deadline_is_cancelled(desk: Desk) -> None:
    waiting = asyncio.create_task(desk.call("misbehave", {"how": "wait"}))
    await desk.clock.wait_for_timer()
    desk.clock.advance(4.999)
    await asyncio.sleep(0)
    assert not waiting.done()
    desk.clock.advance(0.001)
    answer = await waiting
    assert (answer.code, answer.http) == ("TIMEOUT", 504)
    assert answer.body["_metadata"] == {"latency_ms": 5000}


async def test_a_deadline_does_not_wait_for_a_handler_that_ignores_cancellation() -> None:
    released = asyncio.Event()

    class Stubborn(Librarian):
        async def get_book(self, request: library.GetBookRequest, call: LibraryCall, /) -> library.Book:
            try:
                await asyncio.Event().wait()
            finally:
                await released.wait()
            return await super().get_book(request, call)

    desk = Desk(Stubborn())
    waiting = asyncio.create_task(desk.call("get_book", {"id": 1}))
    await desk.clock.wait_for_timer()
    desk.clock.advance(5)
    assert (await waiting).code == "TIMEOUT"
    released.set()


# --- cache ---------------------------------------------------------------------------------------------------------


def metadata(answer: Answer) -> tuple[bool, int | None]:
    return answer.body["_metadata"]["cached"], answer.body["_metadata"]["cache_ttl_remaining"]


async def test_a_cached_result_is_answered_until_it_expires(desk: Desk) -> None:
    arguments = {"shelf": "A"}
    assert metadata(await desk.call("list_books", arguments)) == (False, None)
    assert metadata(await desk.call("list_books", arguments)) == (True, 30)
    desk.clock.advance(29.999)
    assert metadata(await desk.call("list_books", arguments)) == (True, 1)
    desk.clock.advance(0.001)
    assert metadata(await desk.call("list_books", arguments)) == (False, None)
    assert desk.shelf.lookups == 2


async def test_arguments_that_normalise_alike_share_a_cached_result(desk: Desk) -> None:
    await desk.call("list_books", {"shelf": "A", "limit": 2})
    for arguments in ({"shelf": "A"}, {"limit": 2.0, "shelf": "A"}, {"fresh": False, "offset": 0, "shelf": "A"}):
        assert metadata(await desk.call("list_books", arguments)) == (True, 30)


async def test_the_bypass_replaces_the_cached_result(desk: Desk) -> None:
    await desk.call("list_books", {"shelf": "A"})
    desk.clock.advance(10)
    assert metadata(await desk.call("list_books", {"shelf": "A", "fresh": True})) == (False, None)
    assert metadata(await desk.call("list_books", {"shelf": "A"})) == (True, 30)


@pytest.mark.parametrize("how", ["print", "crash"])
async def test_after_a_write_even_a_failed_one_no_result_from_before_it_is_found(desk: Desk, how: str) -> None:
    await desk.call("list_books", {"shelf": "A"})
    assert metadata(await desk.call("list_books", {"shelf": "A"})) == (True, 30)
    await desk.call("misbehave", {"how": how})
    assert metadata(await desk.call("list_books", {"shelf": "A"})) == (False, None)
    assert metadata(await desk.call("list_books", {"shelf": "A"})) == (True, 30)


async def test_a_load_that_began_before_a_write_serves_nobody_who_calls_after_it() -> None:
    loading, released = asyncio.Event(), asyncio.Event()

    class Slow(Librarian):
        async def list_books(self, request: library.ListBooksRequest, call: LibraryCall, /) -> Page[library.Book]:
            page = await super().list_books(request, call)
            if not loading.is_set():
                loading.set()
                await released.wait()
            return page

    desk = Desk(Slow())
    before = asyncio.create_task(desk.call("list_books", {"shelf": "A"}))
    await loading.wait()
    await desk.call("misbehave", {"how": "print"})
    assert metadata(await desk.call("list_books", {"shelf": "A"})) == (False, None)
    assert desk.shelf.lookups == 2
    released.set()
    await before
    assert metadata(await desk.call("list_books", {"shelf": "A"})) == (True, 30)


async def test_a_write_to_a_source_hides_only_results_of_tools_that_read_it(desk: Desk) -> None:
    async def list_nothing(_request: library.ListBooksRequest, _call: library.LibraryCall) -> Any:
        return Page([], 0)

    books, *others = desk.server.tools
    tools = (replace(books, reads=(), handler=list_nothing), *others)
    answers = desk.pipeline_of(replace(desk.server, tools=tools))
    await answers.call("list_books", {"shelf": "A"})
    await answers.call("misbehave", {"how": "print"})
    assert metadata(await answers.call("list_books", {"shelf": "A"})) == (True, 30)


class Lender(Librarian):
    """A librarian who may still move the books of the shelf B."""

    async def list_books(self, request: library.ListBooksRequest, call: library.LibraryCall, /) -> Any:
        page = await super().list_books(request, call)
        return Provisional(page) if request.shelf == "B" else page


def lending(provisional_ttl_s: float | None) -> Desk:
    desk = Desk(Lender())
    books, *others = desk.server.tools
    cache = CachePolicy(ttl_s=30, bypass="fresh", provisional_ttl_s=provisional_ttl_s)
    desk.pipeline = desk.pipeline_of(replace(desk.server, tools=(replace(books, cache=cache), *others)))
    return desk


async def test_a_provisional_result_has_its_own_time_to_live() -> None:
    desk = lending(provisional_ttl_s=5)
    for shelf, seconds in (("A", 30), ("B", 5)):
        assert metadata(await desk.call("list_books", {"shelf": shelf})) == (False, None)
        assert metadata(await desk.call("list_books", {"shelf": shelf})) == (True, seconds)
    assert (await desk.call("list_books", {"shelf": "A"})).body["data"]["items"]


async def test_a_provisional_result_without_a_declared_time_is_an_internal_error() -> None:
    assert (await lending(provisional_ttl_s=None).call("list_books", {"shelf": "B"})).code == "INTERNAL_ERROR"


async def test_no_error_is_cached() -> None:
    class Recovering(Librarian):
        loads = 0

        async def list_books(self, request: library.ListBooksRequest, call: LibraryCall, /) -> Page[library.Book]:
            self.loads += 1
            if self.loads == 1:
                raise SourceError("the shelf fell")
            broken = library.Book.model_construct(id="x", title="A")
            return Page([broken], 1) if self.loads == 2 else await super().list_books(request, call)

    desk = Desk(Recovering())
    codes = [(await desk.call("list_books", {"shelf": "A"})).code for _ in range(3)]
    assert codes == ["SHELF_ERROR", "INTERNAL_ERROR", None]


async def test_concurrent_calls_share_one_run_of_the_handler(desk: Desk) -> None:
    answers = await asyncio.gather(*(desk.call("list_books", {"shelf": "A"}) for _ in range(50)))
    assert desk.shelf.lookups == 1
    assert len({answer.text for answer in answers}) == 1


async def test_a_thousand_different_concurrent_calls_get_their_own_results(desk: Desk) -> None:
    answers = await asyncio.gather(*(desk.call("get_book", {"id": 1 + number % 200}) for number in range(1000)))
    assert [answer.body["data"]["id"] for answer in answers] == [1 + number % 200 for number in range(1000)]


# --- logs ----------------------------------------------------------------------------------------------------------


async def test_every_call_is_logged_with_its_fields(desk: Desk) -> None:
    with capture_logs() as records:
        await desk.call("get_book", {"id": 7})
        await desk.call("get_book", {"id": 999})
    good, bad = (vars(record)["fields"] for record in records if record.getMessage() == "call")
    assert good == {
        "tool": "get_book",
        "duration_ms": 0,
        "status": "success",
        "input_size_bytes": len('{"id":7}'),
        "output_size_bytes": good["output_size_bytes"],
    }
    assert (bad["status"], bad["error_code"]) == ("error", "BOOK_NOT_FOUND")


async def test_an_abandoned_call_is_logged(desk: Desk) -> None:
    with capture_logs() as records:
        waiting = asyncio.create_task(desk.call("misbehave", {"how": "wait"}))
        await desk.clock.wait_for_timer()
        waiting.cancel()
        await asyncio.wait({waiting})
    (facts,) = (vars(record)["fields"] for record in records)
    assert (facts["status"], facts["output_size_bytes"]) == ("cancelled", 0)
    assert set(facts) == {"tool", "duration_ms", "status", "input_size_bytes", "output_size_bytes"}


async def test_sizes_are_bytes_and_not_characters(desk: Desk) -> None:
    with capture_logs() as records:
        await desk.call("list_books", {"shelf": "ЯЩИК"})
    (facts,) = (vars(record)["fields"] for record in records if record.getMessage() == "call")
    assert facts["input_size_bytes"] == len('{"shelf":"ЯЩИК"}'.encode())
