"""Calls in older versions of a tool."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from prometheus_client import generate_latest

from tests.toolaccord.demo import ledger, library_versions
from tests.toolaccord.demo.ledger import EnterRequest, EnterResult, LedgerCall
from tests.toolaccord.demo.library import Book, GetBookRequest, Librarian, LibraryCall, ListBooksRequest, WoodenShelf
from tests.toolaccord.demo.library_versions import tool, version
from toolaccord import IdempotencyKey
from toolaccord.call.response import Answer
from toolaccord.declarations.tool import Server
from toolaccord.handler import Page
from toolaccord.semantics.version_steps import move
from toolaccord.telemetry.metrics import Metrics
from toolaccord.testing import ManualClock, capture_logs, pipeline
from toolaccord.versioning.upgrade_path import Lookup

DAY_S = 24 * 3600


class Desk:
    """A library whose parts a test can see."""

    def __init__(self, server: Server[LibraryCall] | None = None) -> None:
        self.shelf = WoodenShelf("shelf://s3cr3t")
        self.clock = ManualClock()
        self.server = server or library_versions.server()
        self.metrics = Metrics(self.server, {})
        self.pipeline = pipeline(
            self.server,
            sources={"shelf": self.shelf},
            settings={"shelf_url": "s3cr3t"},
            clock=self.clock,
            metrics=self.metrics,
        )

    async def call(
        self, name: str, version: Any, arguments: Mapping[str, Any], meta: Mapping[str, Any] | None = None
    ) -> Answer:
        return await self.pipeline.call(name, dict(arguments), meta, version=version)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def violations(answer: Answer) -> list[tuple[str, str]]:
    """Return pointers and sentences of the violations in an error answer."""
    return [(each["at"], each["message"]) for each in answer.body["error"]["details"]["violations"]]


async def test_each_version_is_answered_by_its_own_contract(desk: Desk) -> None:
    assert (await desk.call("get_book", None, {"id": 7})).body["data"] == {"id": 7, "title": "get 7"}
    assert (await desk.call("get_book", "1.0.0", {"id": 7})).body["data"] == {"id": 7, "title": "get 7"}
    assert (await desk.call("get_book", "0.9.0", {"number": 7})).body["data"] == {"number": 7, "name": "get 7"}
    assert (await desk.call("get_book", "0.8.0", {"code": "B7"})).body["data"] == {"number": 7, "label": "<get 7>"}


async def test_the_version_of_the_request_takes_precedence_over_that_of_meta(desk: Desk) -> None:
    assert "name" in (await desk.call("get_book", None, {"number": 7}, {"version": "0.9.0"})).body["data"]
    assert "title" in (await desk.call("get_book", "1.0.0", {"id": 7}, {"version": "0.9.0"})).body["data"]


@pytest.mark.parametrize("unknown", ["0.1.0", "", "1.0", " 1.0.0", 1, 1.0, True, [], {}, ["0.9.0"], "\ud800"])
async def test_an_unknown_version_is_rejected_with_a_list_of_live_ones(desk: Desk, unknown: Any) -> None:
    answer = await desk.call("get_book", unknown, {"id": 7})
    assert (answer.code, answer.http) == ("UNKNOWN_VERSION", 404)
    assert answer.body["error"]["message"] == "get_book has no such version; call 1.0.0, 0.9.0 or 0.8.0."
    assert answer.body["error"]["details"] == {"versions": ["1.0.0", "0.9.0", "0.8.0"]}


async def test_a_version_is_answered_until_its_sunset_and_then_names_its_successor(desk: Desk) -> None:
    desk.clock.advance(31 * DAY_S - 1)
    assert (await desk.call("get_book", "0.8.0", {"code": "B7"})).code is None
    desk.clock.advance(1)
    answer = await desk.call("get_book", "0.8.0", {"code": "B7"})
    assert (answer.code, answer.http, answer.deprecation) == ("VERSION_SUNSET", 410, None)
    assert answer.body["error"]["message"] == "get_book 0.8.0 was answered until 2026-01-31; call 1.0.0."
    assert answer.body["error"]["details"] == {"sunset_on": "2026-01-31", "successor": "1.0.0"}


async def test_every_answer_of_a_deprecated_version_has_the_notice(desk: Desk) -> None:
    assert (await desk.call("get_book", "0.9.0", {"number": 7})).deprecation is None
    desk.clock.advance(31 * DAY_S)
    for arguments in ({"number": 7}, {"number": 700}, {"number": "7"}):
        notice = (await desk.call("get_book", "0.9.0", arguments)).deprecation
        assert notice is not None
        assert (str(notice.deprecated_on), str(notice.sunset_on), notice.successor) == (
            "2026-02-01",
            "2026-03-31",
            "1.0.0",
        )
    assert (await desk.call("get_book", "1.0.0", {"id": 7})).deprecation is None


async def test_the_successor_is_the_next_version_that_is_not_deprecated(desk: Desk) -> None:
    notice = (await desk.call("get_book", "0.8.0", {"code": "B7"})).deprecation
    assert notice is not None
    assert notice.successor == "0.9.0"


async def test_violations_have_the_callers_pointers_and_the_contracts_code(desk: Desk) -> None:
    long = await desk.call("get_book", "0.9.0", {"number": 7, "why": "x" * 21})
    assert (long.code, violations(long)) == ("REASON_TOO_LONG", [("/why", "/why must have at most 20 characters")])
    wrong = await desk.call("get_book", "0.9.0", {"number": 7, "why": "X"})
    assert (wrong.code, wrong.http) == ("INVALID_REASON", 400)
    missing = await desk.call("list_books", "0.9.0", {})
    assert (missing.code, violations(missing)) == ("INVALID_SHELF", [("/row", "/row is required")])


async def test_a_name_of_the_newest_version_is_unknown_to_an_older_one_and_bound_to_no_code(desk: Desk) -> None:
    answer = await desk.call("get_book", "0.9.0", {"number": 7, "reason": "X"})
    assert (answer.code, violations(answer)) == ("INVALID_PARAMETER", [("/reason", "/reason is not known")])


async def test_broken_conditions_have_the_callers_pointers(desk: Desk) -> None:
    early, late, far = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-03-01T00:00:00Z"
    answer = await desk.call("list_loans", "0.9.0", {"from": late, "to": early})
    assert (answer.code, violations(answer)) == ("INVALID_PERIOD", [("/from", "/from must be before /to")])
    answer = await desk.call("list_loans", "0.9.0", {"from": early, "to": far})
    assert (answer.code, violations(answer)) == ("PERIOD_TOO_LONG", [("/to", "/to must be within 30 days of /from")])


async def test_values_that_a_record_cannot_hold_have_the_callers_pointers(desk: Desk) -> None:
    answer = await desk.call("list_loans", "0.9.0", {"from": "2016-12-31T23:59:60Z"})
    assert [at for at, _ in violations(answer)] == ["/from"]


async def test_versions_share_cached_results(desk: Desk) -> None:
    await desk.call("list_books", None, {"shelf": "A"})
    older = await desk.call("list_books", "0.9.0", {"row": "A", "limit": 2})
    assert older.body["_metadata"]["cached"]
    assert [book["id"] for book in older.body["data"]["books"]] == [1, 2]
    assert desk.shelf.lookups == 1
    await desk.call("list_books", "0.9.0", {"row": "A", "fresh": True})
    assert desk.shelf.lookups == 2


async def test_callers_of_all_versions_share_one_load_and_get_their_own_form() -> None:
    gate = asyncio.Event()

    class Slow(Librarian):
        async def list_books(self, request: ListBooksRequest, call: LibraryCall, /) -> Page[Book]:
            await gate.wait()
            return await super().list_books(request, call)

    desk = Desk(library_versions.server(Slow()))
    versions: list[tuple[str | None, str]] = [(None, "shelf"), ("0.9.0", "row")] * 10
    calls = [asyncio.create_task(desk.call("list_books", version, {name: "A"})) for version, name in versions]
    await asyncio.sleep(0)
    gate.set()
    members = [(await call).body["data"].keys() for call in calls]
    assert members == [{"items", "pagination"}, {"books", "pagination"}] * 10
    assert desk.shelf.lookups == 1


async def test_a_write_repeated_in_another_version_has_the_same_key_and_fingerprint() -> None:
    keys: list[IdempotencyKey | None] = []

    async def enter(_request: EnterRequest, call: LedgerCall) -> EnterResult:
        keys.append(call.idempotency)
        return EnterResult(number=1, text="a", amount=1)

    served = ledger.server(ledger.Clerk())
    older = version(
        "0.9.0",
        None,
        {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]},
        ledger.ENTER_RETURNS,
        (move("/words", "/text"),),
        (),
    )
    one = replace(tool(served, "enter"), handler=enter, versions=(older,))
    serving = pipeline(replace(served, tools=(one,)))
    keyed = {"idempotency_key": "order:1"}
    assert (await serving.call("enter", {"text": "a"}, keyed)).code is None
    assert (await serving.call("enter", {"words": "a"}, keyed, version="0.9.0")).code is None
    assert keys[0] is not None
    assert keys == [keys[0]] * 2
    rejected = await serving.call("enter", {"words": 5}, {"idempotency_key": "?!"}, version="0.9.0")
    assert [at for at, _ in violations(rejected)] == ["/words", "/_meta/idempotency_key"]


async def test_a_lookup_may_raise_a_declared_error(desk: Desk) -> None:
    answer = await desk.call("get_book", "0.8.0", {"code": "?"})
    assert (answer.code, answer.http, answer.body["error"]["details"]) == ("BOOK_NOT_FOUND", 404, {"book": 0})


async def _crashing(value: Any, _call: Any) -> Any:
    raise RuntimeError(f"the cause: {value}")


async def _nonsense(_value: Any, _call: Any) -> Any:
    return {"nothing": "of the kind"}


@pytest.mark.parametrize("lookup", [_crashing, _nonsense])
@pytest.mark.parametrize("name", ["number", "label"])
async def test_a_lookup_that_fails_or_returns_nonsense_is_an_internal_error(lookup: Lookup, name: str) -> None:
    with capture_logs() as logs:
        answer = await Desk(library_versions.server(lookups={name: lookup})).call("get_book", "0.8.0", {"code": "B7"})
    assert (answer.code, answer.body["error"]["message"]) == ("INTERNAL_ERROR", "The server failed to answer.")
    assert [record.getMessage() for record in logs if record.exc_info] == ["the server is at fault"]


async def test_a_result_that_breaks_the_older_contract_is_an_internal_error() -> None:
    class Verbose(Librarian):
        async def get_book(self, request: GetBookRequest, _call: LibraryCall, /) -> Book:
            return Book(id=request.id, title="a title of many words")

    desk = Desk(library_versions.server(Verbose()))
    assert (await desk.call("get_book", "1.0.0", {"id": 7})).code is None
    with capture_logs() as logs:
        assert (await desk.call("get_book", "0.9.0", {"number": 7})).code == "INTERNAL_ERROR"
    (fault,) = [record.exc_info[1] for record in logs if record.exc_info]
    assert str(fault) == "get_book 0.9.0: /name must have at most 12 characters"


@pytest.mark.parametrize("name", ["number", "label"])
async def test_a_lookup_runs_within_the_deadline_of_its_call(name: str) -> None:
    async def endless(_value: Any, _call: Any) -> Any:
        await asyncio.Event().wait()

    desk = Desk(library_versions.server(lookups={name: endless}))
    call = asyncio.create_task(desk.call("get_book", "0.8.0", {"code": "B7"}))
    await desk.clock.wait_for_timer()
    desk.clock.advance(5)
    assert (await call).code == "TIMEOUT"


async def test_a_lookup_takes_the_call_record() -> None:
    given: list[LibraryCall] = []

    async def seen(value: Any, call: LibraryCall) -> Any:
        given.append(call)
        return await library_versions.number(value, call)

    desk = Desk(library_versions.server(lookups={"number": seen}))
    assert (await desk.call("get_book", "0.8.0", {"code": "B7"})).code is None
    assert (given[0].shelf, given[0].now) == (desk.shelf, desk.clock.now())


async def test_the_log_line_of_a_call_has_the_version_it_names(desk: Desk) -> None:
    with capture_logs() as logs:
        await desk.call("get_book", None, {"id": 7})
        await desk.call("get_book", "0.9.0", {"number": 7})
        await desk.call("get_book", "9" * 100, {"id": 7})
    fields = [record.__dict__["fields"] for record in logs if record.getMessage() == "call"]
    assert [each.get("version") for each in fields] == [None, "0.9.0", "9" * 32]


async def test_calls_in_a_deprecated_version_are_counted(desk: Desk) -> None:
    for named, arguments in ((None, {"id": 7}), ("0.9.0", {"number": 7}), ("0.8.0", {"code": "B7"}), ("0.7.0", {})):
        await desk.call("get_book", named, arguments)
    text = generate_latest(desk.metrics.registry).decode()
    counted = dict(line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("mcp_deprecated_calls_total"))
    of_books = {name: count for name, count in counted.items() if "get_book" in name}
    assert of_books == {
        'mcp_deprecated_calls_total{tool="get_book",version="0.9.0"}': "0.0",
        'mcp_deprecated_calls_total{tool="get_book",version="0.8.0"}': "1.0",
        'mcp_deprecated_calls_total{tool="get_book",version="0.7.0"}': "0.0",
    }


async def test_an_abandoned_call_in_an_older_version_is_counted_as_cancelled() -> None:
    async def endless(_value: Any, _call: Any) -> Any:
        await asyncio.Event().wait()

    desk = Desk(library_versions.server(lookups={"number": endless}))
    call = asyncio.create_task(desk.call("get_book", "0.8.0", {"code": "B7"}))
    await desk.clock.wait_for_timer()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    counted = desk.metrics.registry.get_sample_value(
        "mcp_tool_calls_total", {"tool": "get_book", "client": "unknown", "status": "cancelled"}
    )
    assert counted == 1
