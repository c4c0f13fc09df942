"""Repeated attempts of a client's calls, on a clock and with randomness that the tests move."""

import asyncio
import math
from dataclasses import replace
from typing import Any

import pytest

from tests.toolaccord.demo.library import BookNotFound, GetBookRequest, ListBooksRequest, MisbehaveRequest
from tests.toolaccord.demo.library_client import LibraryClient
from tests.toolaccord.generated.demo.library.client import GET_BOOK, LIST_BOOKS, MISBEHAVE
from tests.toolaccord.scripted_connection import Recorder, ScriptedConnection, settle
from toolaccord.client.policies import ClientPolicies, Deadline, ObservedTool, Retry
from toolaccord.declarations.causes import DeclaredError
from toolaccord.errors import (
    BrokenAnswer,
    CallFailed,
    RateLimited,
    ServerGone,
    TimedOut,
    ToolError,
    TransportError,
    TransportOutage,
    TransportRateLimit,
    TransportRejection,
    Unauthorised,
    Unavailable,
    UndeclaredError,
)
from toolaccord.testing import ManualClock

EMMA = {"id": 7, "title": "Emma"}
A_BOOK = GetBookRequest(id=7)
GONE = ServerGone("gone")
BUSY = {"code": "TIMEOUT"}  # the only retryable code of the dialect
RETRY = Retry(max_attempts=3, initial_delay_s=0.5, max_delay_s=5, multiplier=2, jitter=0.1)


class Caller:
    """Calls get_book under policies; its clock stands still until a test advances it."""

    def __init__(self, *outcomes: Any, retry: Retry | None = RETRY, random: float = 0, **policies: Any) -> None:
        self.clock, self.observer = ManualClock(), Recorder()
        self.connection = ScriptedConnection(*outcomes)
        self.client = LibraryClient(
            self.connection,
            ClientPolicies(retry=retry, clock=self.clock, random=lambda: random, observer=self.observer, **policies),
        )

    def start(self, **options: Any) -> asyncio.Task[Any]:
        return asyncio.create_task(self.client.get_book(A_BOOK, **options))

    async def attempts_after(self, seconds: float) -> int:
        """Advance the clock, and return the number of attempts so far."""
        await settle()
        self.clock.advance(seconds)
        await settle()
        return len(self.connection.sent)


async def test_a_retryable_failure_is_repeated_after_growing_pauses() -> None:
    caller = Caller(GONE, TimedOut("late"), EMMA)
    call = caller.start()
    assert [await caller.attempts_after(seconds) for seconds in (0, 0.49, 0.01, 0.99, 0.01)] == [1, 1, 2, 2, 3]
    assert (await call).title == "Emma"
    assert caller.observer.events == [
        ("attempt", 1),
        ("retry", 1, 0.5, ServerGone),
        ("attempt", 2),
        ("retry", 2, 1.0, TimedOut),
        ("attempt", 3),
    ]
    assert caller.observer.tools == {ObservedTool("library-mcp", "get_book")}


async def test_the_last_attempts_error_is_raised_when_the_retries_are_exhausted() -> None:
    caller = Caller(GONE, GONE, TransportError("the last"))
    call = caller.start()
    assert [await caller.attempts_after(seconds) for seconds in (0.5, 1)] == [2, 3]
    with pytest.raises(TransportError, match="the last"):
        await call
    assert caller.observer.events[-1] == ("exhausted", TransportError)


@pytest.mark.parametrize(
    "outcome, error",
    [
        ({"code": "BOOK_NOT_FOUND"}, BookNotFound),
        ({"code": "INTERNAL_ERROR", "message": "timeout, try again: 503 rate limited"}, UndeclaredError),
        (BrokenAnswer("connection timed out"), BrokenAnswer),
        (Unauthorised("401"), Unauthorised),
    ],
)
async def test_a_failure_that_is_not_retryable_is_raised_at_once_whatever_its_text(
    outcome: Any, error: type[Exception]
) -> None:
    caller = Caller(outcome, EMMA)
    with pytest.raises(error):
        await caller.start()
    assert caller.observer.events == [("attempt", 1)]


async def test_an_undeclared_code_is_repeated_if_the_dialect_says_so() -> None:
    caller = Caller(BUSY, EMMA)
    call = caller.start()
    assert await caller.attempts_after(0.5) == 2
    await call


async def test_a_declared_code_is_repeated_if_the_contract_says_so() -> None:
    class BookLent(ToolError):
        code = "BOOK_LENT"
        http = 409
        retryable = True

    tool = replace(GET_BOOK, errors=(DeclaredError(BookLent),))
    caller = Caller({"code": "BOOK_LENT"}, EMMA)
    call = asyncio.create_task(caller.client.call(tool, A_BOOK))
    assert await caller.attempts_after(0.5) == 2
    await call


async def test_a_busy_server_is_waited_for_as_long_as_it_wants() -> None:
    details = [{"retry_after_s": 3}, {"retry_after_s": 20.5}]
    caller = Caller(*(BUSY | {"details": each} for each in details), EMMA)
    call = caller.start(timeout_s=60)
    assert [await caller.attempts_after(seconds) for seconds in (2.9, 0.1, 20.4, 0.1)] == [1, 2, 2, 3]
    await call


@pytest.mark.parametrize("kind, status", [(TransportRateLimit, RateLimited), (TransportOutage, Unavailable)])
async def test_a_header_of_a_proxy_is_heeded_like_the_details_of_a_server(
    kind: type[TransportRejection], status: type[CallFailed]
) -> None:
    caller = Caller(kind("busy", retry_after_s=7), EMMA)
    call = caller.start(timeout_s=60)
    assert [await caller.attempts_after(seconds) for seconds in (6.9, 0.1)] == [1, 2]
    await call
    caller = Caller(kind("busy", retry_after_s=7), EMMA)
    with pytest.raises(status, match="busy"):
        await caller.start(timeout_s=6)  # at once: the clock does not move
    assert len(caller.connection.sent) == 1


@pytest.mark.parametrize("value", ["3", True, None, -1, math.nan, [], 0.1])
async def test_a_rate_limit_that_names_no_longer_pause_leaves_the_backoff_as_it_is(value: Any) -> None:
    caller = Caller(BUSY | {"details": {"retry_after_s": value}}, EMMA)
    call = caller.start()
    assert [await caller.attempts_after(seconds) for seconds in (0.4, 0.1)] == [1, 2]
    await call


async def test_a_write_is_repeated_only_with_an_idempotency_key() -> None:
    caller = Caller(GONE, {"done": 1, "ratio": 1})
    request = MisbehaveRequest(how="gate")
    assert MISBEHAVE.writes
    with pytest.raises(ServerGone):
        await caller.client.call(MISBEHAVE, request)
    assert caller.observer.events == [("attempt", 1)]
    caller = Caller(GONE, {"done": 1, "ratio": 1})
    call = asyncio.create_task(caller.client.call(MISBEHAVE, request, idempotency_key="once"))
    assert await caller.attempts_after(0.5) == 2
    await call
    assert [sent.meta for sent in caller.connection.sent] == [
        {"version": MISBEHAVE.version, "idempotency_key": "once"}
    ] * 2


async def test_no_pause_is_begun_that_ends_after_the_deadline() -> None:
    caller = Caller(GONE, deadline=Deadline(timeout_s=1.4))
    call = caller.start()
    assert await caller.attempts_after(0.5) == 2
    assert call.done(), "0.9 s are left, and the pause would take 1 s"
    with pytest.raises(ServerGone):
        await call
    assert caller.observer.events[-1] == ("exhausted", ServerGone)


async def test_every_attempt_has_its_own_time_limit_within_what_is_left_of_the_deadline() -> None:
    caller = Caller(GONE, GONE, EMMA, deadline=Deadline(timeout_s=3, attempt_timeout_s=2))
    call = caller.start()
    assert await caller.attempts_after(1.5) == 2
    assert await caller.attempts_after(0.5) == 2
    assert await caller.attempts_after(0.5) == 3
    await call
    assert [sent.timeout_s for sent in caller.connection.sent] == [2, 1.5, 0.5]


async def test_a_call_without_a_deadline_takes_as_long_as_one_without_policies() -> None:
    caller = Caller(EMMA)
    await caller.start()
    await caller.start(timeout_s=0.25)
    assert [sent.timeout_s for sent in caller.connection.sent] == [10, 0.25]


async def test_without_retries_a_call_is_attempted_once() -> None:
    caller = Caller(GONE, EMMA, retry=None)
    with pytest.raises(ServerGone):
        await caller.start()
    assert caller.observer.events == [("attempt", 1)]


async def test_every_page_of_a_list_is_repeated_alone() -> None:
    place = {"offset": 0, "limit": 1, "total": 2, "has_more": True}
    first = {"items": [EMMA], "pagination": place}
    last = {"items": [EMMA], "pagination": place | {"offset": 1, "has_more": False}}
    caller = Caller(GONE, first, GONE, last)
    pages = caller.client.pages(LIST_BOOKS, ListBooksRequest(shelf="A", limit=1))
    for attempts in (2, 4):
        page = asyncio.ensure_future(anext(pages))
        assert await caller.attempts_after(0.5) == attempts
        assert len((await page).items) == 1


async def test_cancelling_a_call_ends_it_in_its_pause() -> None:
    caller = Caller(GONE)
    call = caller.start()
    await settle()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await caller.attempts_after(10) == 1


@pytest.mark.parametrize("invalid", [{"timeout_s": 0}, {"timeout_s": 1, "attempt_timeout_s": -1}])
def test_an_invalid_deadline_is_rejected(invalid: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"Deadline.{[*invalid][-1]} must be above 0"):
        Deadline(**invalid)


async def test_calls_of_a_client_share_one_budget_of_retries() -> None:
    caller = Caller(*[GONE] * 2000)
    calls = [caller.start() for _ in range(500)]
    assert await caller.attempts_after(0) == 500
    assert await caller.attempts_after(1) == 500 + 100 + 100
    assert await caller.attempts_after(5) == 500 + 100 + 100
    assert {type(each) for each in await asyncio.gather(*calls, return_exceptions=True)} == {ServerGone}
    assert len([event for event in caller.observer.events if event[0] == "exhausted"]) == 500
