"""A client's cache in memory, on a clock that the tests move."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolaccord.demo.library import BookNotFound, GetBookRequest, ListBooksRequest
from tests.toolaccord.demo.library_client import LibraryClient
from tests.toolaccord.generated.demo.library.client import GET_BOOK, LIST_BOOKS, MISBEHAVE
from tests.toolaccord.scripted_connection import Recorder, ScriptedConnection, settle
from toolaccord.client.calls import CallResult, PendingCall
from toolaccord.client.declarations import RemoteTool
from toolaccord.client.policies import ClientCache, ClientPolicies, Deadline, Retry, ToolCache
from toolaccord.client.policies.result_cache import build_key
from toolaccord.errors import ServerGone, TimedOut
from toolaccord.testing import ManualClock

EMMA, PERSUASION = {"id": 7, "title": "Emma"}, {"id": 7, "title": "Persuasion"}
GONE = ServerGone("gone")
TTL_S, STALE_S = 10, 60
PAGE = {"items": [EMMA], "pagination": {"offset": 0, "limit": 2, "total": 1, "has_more": False}}
TOOLS: dict[RemoteTool[Any, Any], ToolCache] = {
    GET_BOOK: ToolCache(ttl_s=TTL_S, stale_if_error_s=STALE_S),
    LIST_BOOKS: ToolCache(ttl_s=TTL_S),
}


class Reader:
    """A client with a cache."""

    def __init__(self, *outcomes: Any, max_bytes: int = 1 << 20, **policies: Any) -> None:
        self.clock, self.observer = ManualClock(), Recorder()
        self.connection = ScriptedConnection(*outcomes)
        cache = ClientCache(tools=TOOLS, prefix="test:", max_bytes=max_bytes)
        self.client = LibraryClient(
            self.connection, ClientPolicies(cache=cache, clock=self.clock, observer=self.observer, **policies)
        )

    async def call(self, number: int = 7, **options: Any) -> CallResult[Any]:
        return await self.client.call(GET_BOOK, GetBookRequest(id=number), **options)

    def start(self, number: int = 7, **options: Any) -> asyncio.Task[CallResult[Any]]:
        return asyncio.create_task(self.call(number, **options))

    @property
    def requests(self) -> int:
        return len(self.connection.sent)


async def test_a_result_is_returned_for_its_ttl_with_its_age() -> None:
    reader = Reader(EMMA, PERSUASION)
    loaded = await reader.call()
    assert (loaded.result.title, loaded.age_s, loaded.is_stale, loaded.corr_id) == ("Emma", None, False, "abc")
    reader.clock.advance(TTL_S - 0.5)
    cached = await reader.call()
    assert cached == replace(
        loaded, cached=True, age_s=TTL_S - 0.5, cache_ttl_remaining=0.5, corr_id=None, latency_ms=None
    )
    reader.clock.advance(0.5)
    again = await reader.call()
    assert (again.result.title, again.age_s) == ("Persuasion", None)
    assert reader.observer.names() == ["attempt", "miss", "hit", "attempt", "miss"]


async def test_every_caller_receives_a_model_of_its_own() -> None:
    reader = Reader(EMMA)
    results = [(await reader.call()).result for _ in range(3)]
    assert results[0] == results[1] == results[2]
    assert len({id(result) for result in results}) == 3


async def test_concurrent_equal_calls_load_once_and_others_load_their_own() -> None:
    reader = Reader(EMMA)
    reader.connection.gate.clear()
    calls = [reader.start(7) for _ in range(5)] + [reader.start(8)]
    await settle()
    assert reader.requests == 2
    reader.connection.gate.set()
    results = await asyncio.gather(*calls)
    assert {result.age_s for result in results} == {None}
    assert len({id(result.result) for result in results}) == len(results)
    assert reader.observer.names().count("miss") == len(calls)


async def test_a_stale_result_replaces_a_call_whose_retries_failed_until_it_is_too_old() -> None:
    reader = Reader(EMMA, GONE, retry=Retry(max_attempts=2, initial_delay_s=1, jitter=0))
    await reader.call()
    reader.clock.advance(TTL_S)
    call = reader.start()
    await settle()
    assert not call.done(), "a retry is due"
    reader.clock.advance(1)
    stale = await call
    assert (stale.result.title, stale.cached, stale.is_stale, stale.age_s) == ("Emma", True, True, TTL_S + 1)
    assert stale.cache_ttl_remaining == 0
    assert reader.observer.events[2:] == [
        ("attempt", 1),
        ("retry", 1, 1.0, ServerGone),
        ("attempt", 2),
        ("miss",),
        ("exhausted", ServerGone),
        ("stale", TTL_S + 1, ServerGone),
    ]
    reader.clock.advance(STALE_S - TTL_S - 1.5)
    call = reader.start()
    await settle()
    reader.clock.advance(1)
    with pytest.raises(ServerGone):
        await call


async def test_a_call_that_cannot_be_repeated_successfully_raises_although_a_stale_result_exists() -> None:
    reader = Reader(EMMA, {"code": "BOOK_NOT_FOUND"})
    await reader.call()
    reader.clock.advance(TTL_S)
    with pytest.raises(BookNotFound):
        await reader.call()
    assert "stale" not in reader.observer.names()


async def test_a_tool_without_stale_if_error_raises() -> None:
    reader = Reader(PAGE, GONE)
    await reader.client.list_books(ListBooksRequest(shelf="A"))
    reader.clock.advance(TTL_S)
    with pytest.raises(ServerGone):
        await reader.client.list_books(ListBooksRequest(shelf="A"))


async def test_a_stale_result_replaces_a_call_whose_time_is_over() -> None:
    reader = Reader(EMMA, deadline=Deadline(timeout_s=3))
    await reader.call()
    reader.clock.advance(TTL_S)
    reader.connection.gate.clear()
    calls = [reader.start() for _ in range(3)]
    await settle()
    reader.clock.advance(3)
    results = await asyncio.gather(*calls)
    assert {(result.is_stale, result.age_s) for result in results} == {(True, TTL_S + 3)}
    await settle()
    assert reader.connection.in_flight == 0, "nobody waits for the answer"


async def test_errors_are_not_cached() -> None:
    reader = Reader({"code": "BOOK_NOT_FOUND"}, EMMA)
    with pytest.raises(BookNotFound):
        await reader.call()
    assert (await reader.call()).result.title == "Emma"


async def test_a_call_that_bypasses_the_cache_loads_and_replaces_the_result() -> None:
    other = PAGE | {"items": [PERSUASION]}
    reader = Reader(PAGE, other)
    titles = [
        (await reader.client.list_books(ListBooksRequest.model_validate({"shelf": "A"} | extra))).items[0].title
        for extra in ({}, {"fresh": False}, {"fresh": True}, {})
    ]
    assert titles == ["Emma", "Emma", "Persuasion", "Persuasion"]
    assert reader.requests == 2


async def test_a_call_that_bypasses_the_cache_returns_no_stale_result() -> None:
    reader = Reader(PAGE, GONE)
    await reader.client.list_books(ListBooksRequest(shelf="A"))
    with pytest.raises(ServerGone):
        await reader.client.list_books(ListBooksRequest(shelf="A", fresh=True))


async def test_other_tools_are_not_cached() -> None:
    reader = Reader({"done": 1, "ratio": 1})
    for _ in range(2):
        await reader.client.call(replace(MISBEHAVE, writes=False), reader_request())
    assert (reader.requests, reader.observer.names()) == (2, ["attempt", "attempt"])


def reader_request() -> Any:
    """Return a request of misbehave."""
    return MISBEHAVE.request.model_validate({"how": "gate"})


async def test_the_least_recently_used_result_makes_room() -> None:
    reader = Reader(EMMA, max_bytes=1_400)
    for number in (1, 2, 1, 3, 1):
        await reader.call(number)
    assert reader.requests == 3
    await reader.call(2)
    assert reader.requests == 4


async def test_a_load_goes_on_for_the_others_when_its_caller_is_cancelled() -> None:
    reader = Reader(EMMA)
    reader.connection.gate.clear()
    first, second = reader.start(), reader.start()
    await settle()
    first.cancel()
    await settle()
    reader.connection.gate.set()
    assert (await second).result.title == "Emma"
    assert reader.requests == 1


async def test_a_caller_with_more_time_goes_on_after_the_one_that_loads_ran_out_of_time() -> None:
    reader = Reader(GONE, EMMA, retry=Retry(max_attempts=3, initial_delay_s=1, jitter=0))
    hurried = reader.start(timeout_s=0.5)
    patient = [reader.start(timeout_s=30) for _ in range(3)]
    with pytest.raises(ServerGone):
        await hurried
    await settle()
    assert reader.requests == 1, "the pause is not over"
    reader.clock.advance(1)
    results = await asyncio.gather(*patient)
    assert {result.result.title for result in results} == {"Emma"}
    assert reader.requests == 2, "they load together"


async def test_callers_share_the_failure_of_a_load_that_had_time_enough() -> None:
    reader = Reader(GONE)
    outcomes = await asyncio.gather(*(reader.start() for _ in range(4)), return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {ServerGone}
    assert reader.requests == 1


async def test_the_time_is_over_for_every_caller_at_its_own_deadline() -> None:
    reader = Reader(EMMA)
    reader.connection.gate.clear()
    patient, hurried = reader.start(timeout_s=5), reader.start(timeout_s=1)
    await settle()
    reader.clock.advance(1)
    with pytest.raises(TimedOut, match=r"library-mcp did not answer get_book within 1 s, all attempts included\."):
        await hurried
    reader.connection.gate.set()
    assert (await patient).result.title == "Emma"


def key(arguments: Any, *, server: str = "s", tool: str = "t", version: str | None = None) -> str:
    """Return the key of a call."""

    async def send(_timeout_s: float) -> Any:
        raise AssertionError

    declared = replace(GET_BOOK, name=tool, version=version, cache_bypass="fresh")
    call: PendingCall[Any] = PendingCall(
        server=server,
        tool=declared,
        arguments=arguments,
        timeout_s=None,
        has_key=False,
        send=send,
        parse=str,  # type: ignore[arg-type]
    )
    return build_key("p:", call)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
arguments = st.dictionaries(st.text().filter(lambda name: name != "fresh"), values)


def shuffled(value: Any) -> Any:
    """Return an equal value whose members are in the opposite order."""
    if isinstance(value, dict):
        return {name: shuffled(member) for name, member in reversed(value.items())}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal; 1 and 1.0 are, and true is not 1."""
    numbers = [value for value in (one, other) if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) == 2:
        return bool(one == other or (one != one and other != other))  # noqa: PLR0124 - NaN is itself
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


@given(arguments, st.booleans())
def test_equal_arguments_have_equal_keys_whether_or_not_they_bypass_the_cache(given_: Any, fresh: bool) -> None:  # noqa: FBT001 - drawn
    assert key(given_) == key(shuffled(given_)) == key(given_ | {"fresh": fresh})
    assert key(given_) == key(json.loads(json.dumps(given_)))
    assert key({"a": 1, "b": [2**70]}) == key({"b": [2.0**70], "a": 1.0})


LOOKALIKES = [
    0,
    1,
    True,
    False,
    1.5,
    "1",
    "",
    None,
    "null",
    float("nan"),
    [],
    {},
    [[]],
    2**70,
    2**70 + 1,
    "\ud800",
    "é",
]


def test_arguments_that_look_alike_have_different_keys() -> None:
    found = [key({"a": value}) for value in LOOKALIKES] + [key({}), key({"b": 0}), key({"a": 0, "b": 0})]
    assert len(set(found)) == len(found)


@given(arguments, arguments)
def test_different_arguments_never_have_equal_keys(one: Any, other: Any) -> None:
    assert (key(one) == key(other)) == same(one, other)


identities = st.tuples(st.text("ab:/", max_size=3), st.text("ab:/", max_size=3), st.none() | st.text("1.", max_size=3))


@given(identities, identities)
def test_servers_tools_and_versions_have_keys_of_their_own(one: Any, other: Any) -> None:
    keys = [key({}, server=server, tool=tool, version=version) for server, tool, version in (one, other)]
    assert (keys[0] == keys[1]) == (one == other)


def test_a_key_begins_with_prefix_server_and_tool_and_shows_no_argument() -> None:
    found = key({"token": "s3cr3t"}, server="library-mcp", tool="get_book")
    assert found.startswith("p:library-mcp:get_book:")
    assert "s3cr3t" not in found


def test_a_tool_that_writes_cannot_be_cached() -> None:
    with pytest.raises(ValueError, match=r"must hold no tool that writes: misbehave"):
        ClientCache(tools={MISBEHAVE: ToolCache(ttl_s=1)}, prefix="p:")


@pytest.mark.parametrize(
    "make, rule",
    [
        (lambda: ClientCache(tools={GET_BOOK: ToolCache(ttl_s=0)}, prefix="p:"), "ttl_s must be above 0"),
        (
            lambda: ClientCache(tools={GET_BOOK: ToolCache(ttl_s=10, stale_if_error_s=10)}, prefix="p:"),
            "stale_if_error_s counts from the receipt of a result",
        ),
        (
            lambda: ClientCache(tools={}, prefix="p:", url="http://s3cr3t@host"),
            "url must be a URL that begins with redis",
        ),
        (lambda: ClientPolicies(max_concurrent=0), "max_concurrent must be 1 or more"),
    ],
)
def test_an_invalid_policy_is_rejected_without_its_secrets(make: Any, rule: str) -> None:
    with pytest.raises(ValueError, match=rule) as caught:
        make()
    assert "s3cr3t" not in str(caught.value)


def test_the_url_of_the_cache_is_not_shown() -> None:
    assert "s3cr3t" not in repr(ClientPolicies(cache=ClientCache(tools={}, prefix="p:", url="redis://:s3cr3t@host")))
