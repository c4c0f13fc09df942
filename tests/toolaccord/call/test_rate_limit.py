"""Rate limits that a process counts in its memory."""

import math
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolaccord.demo import library_versions
from tests.toolaccord.demo.gate import Porter
from tests.toolaccord.demo.library import WoodenShelf
from tests.toolaccord.generated.demo.gate.server import server
from toolaccord.call.pipeline import Pipeline
from toolaccord.call.rate_limit import CallTimes
from toolaccord.call.response import Answer
from toolaccord.contract.policies import RateLimit, When
from toolaccord.declarations.causes import DeclaredError
from toolaccord.errors import ToolError
from toolaccord.sources.redis import RedisError
from toolaccord.telemetry.metrics import Metrics
from toolaccord.testing import ManualClock, UnreachableRedis, capture_logs, pipeline

LIMIT = RateLimit(calls=3, window_s=60)
ANN = {"name": "Ann"}


class CountingShelf(WoodenShelf):
    """A shelf that is also the store of a limit, and cannot count."""

    async def run_script(self, *_: Any, **__: Any) -> Any:
        raise RedisError("a shelf cannot count")


class Gate:
    """A server with limits, whose clock stands still, and whose Redis is away."""

    def __init__(self, **changes: Any) -> None:
        self.clock = ManualClock()
        self.redis = UnreachableRedis()
        declared = server(Porter())
        (knock, *others) = declared.tools
        self.server = replace(declared, tools=(replace(knock, **changes), *others))
        self.pipeline: Pipeline = pipeline(self.server, sources={"state": self.redis}, clock=self.clock)

    async def call(self, tool: str = "knock", arguments: Any = None, **caller: Any) -> Answer:
        return await self.pipeline.answer(
            self.pipeline.receive(tool, ANN if arguments is None else arguments, **({"identity": ""} | caller))
        )

    async def codes(self, count: int, tool: str = "knock", arguments: Any = None, **caller: Any) -> list[str | None]:
        """Return the codes of *count* calls, None for each success."""
        return [(await self.call(tool, arguments, **caller)).code for _ in range(count)]


async def test_a_caller_beyond_the_limit_is_answered_429_with_the_limit_and_the_time_to_wait() -> None:
    gate = Gate()
    assert await gate.codes(3) == [None] * 3
    gate.clock.advance(12.5)
    answer = await gate.call()
    assert (answer.code, answer.http, answer.retry_after_s) == ("MCP-006", 429, 48)
    assert answer.body["error"]["details"] == {"limit": 3, "window_s": 60, "retry_after_s": 48}
    assert answer.body["error"]["message"] == "A caller may call knock 3 times in 60 s; call again in 48 s."


async def test_a_call_after_the_time_to_wait_is_accepted() -> None:
    gate = Gate()
    await gate.codes(3)
    gate.clock.advance(12.5)
    wait_s = (await gate.call()).retry_after_s
    assert wait_s
    gate.clock.advance(wait_s - 1)
    assert await gate.codes(1) == ["MCP-006"]
    gate.clock.advance(1)
    assert await gate.codes(1) == [None]


async def test_calls_with_invalid_arguments_count_and_are_limited() -> None:
    gate = Gate()
    assert await gate.codes(5, arguments={"name": 7}) == ["MCP-001"] * 3 + ["MCP-006"] * 2
    assert await gate.codes(1) == ["MCP-006"]


async def test_calls_in_an_unknown_version_count_and_are_limited() -> None:
    for tool in ("knock", "ring"):
        gate = Gate()
        assert await gate.codes(4, tool, version="9.9.9") == ["MCP-007"] * 3 + ["MCP-006"]


async def test_a_call_in_an_older_version_counts_and_has_its_deprecation_notice() -> None:
    declared = library_versions.server()
    tools = tuple(replace(tool, rate_limit=replace(LIMIT, store="shelf")) for tool in declared.tools)
    sources = {"shelf": CountingShelf("")}
    served = pipeline(replace(declared, tools=tools), sources=sources, settings={"shelf_url": "s3cr3t"})
    answers = [await served.call("get_book", {"code": "B7"}, version="0.8.0") for _ in range(3)]
    assert [answer.code for answer in answers] == [None] * 3
    assert all(answer.deprecation for answer in answers)
    assert (await served.call("get_book", {"id": 7})).http == 500, "its dialect has no code for the limit"


async def test_a_rejected_call_does_not_count() -> None:
    gate = Gate()
    await gate.codes(3)
    gate.clock.advance(59)
    assert await gate.codes(100) == ["MCP-006"] * 100
    gate.clock.advance(1)
    assert await gate.codes(3) == [None] * 3


async def test_each_tool_and_each_caller_has_a_limit_of_its_own() -> None:
    gate = Gate()
    for caller in ({"identity": "a"}, {"identity": "b"}, {"caller": "a"}, {"caller": "b"}, {"identity": None}):
        for tool in ("knock", "ring"):
            assert await gate.codes(4, tool, **caller) == [None] * 3 + ["MCP-006"], caller


async def test_a_caller_with_an_identity_cannot_evade_its_limit_by_another_name() -> None:
    gate = Gate()
    answers = [await gate.call(identity="a", caller=f"name {number}") for number in range(4)]
    assert [answer.code for answer in answers] == [None] * 3 + ["MCP-006"]


async def test_a_tool_without_a_limit_answers_every_call() -> None:
    assert await Gate().codes(1000, "wave") == [None] * 1000


async def test_the_code_is_the_one_that_the_tool_binds_to_the_limit() -> None:
    class TooFast(ToolError):
        """The tool's own word for it."""

        code = "TOO_FAST"
        http = 420

    gate = Gate(errors=(DeclaredError(TooFast, when=When(occasion="rate_limit")),))
    await gate.codes(3)
    answer = await gate.call()
    assert (answer.code, answer.http, answer.retry_after_s) == ("TOO_FAST", 420, 60)


async def test_names_of_any_text_and_length_are_callers() -> None:
    gate = Gate()
    for name in ("", "x" * 1_000_000, "\ud800", "\0"):
        assert await gate.codes(4, caller=name) == [None] * 3 + ["MCP-006"]


async def test_without_its_store_a_limit_holds_in_memory_and_the_store_is_tried_once_a_second() -> None:
    gate = Gate()
    with capture_logs() as records:
        assert await gate.codes(5, "ring") == [None] * 3 + ["MCP-006"] * 2
        assert gate.redis.commands == 1
        gate.clock.advance(1)
        assert await gate.codes(5, "ring") == ["MCP-006"] * 5
        assert await gate.codes(5, "ring", identity="bob") == [None] * 3 + ["MCP-006"] * 2
    assert gate.redis.commands == 2
    assert [record.levelname for record in records if "state is unavailable" in record.getMessage()] == ["WARNING"]


async def test_rejected_calls_are_counted_as_errors_from_zero() -> None:
    gate = Gate()
    metrics = Metrics(gate.server, {})
    gate.pipeline = pipeline(gate.server, clock=gate.clock, metrics=metrics)
    series = 'mcp_errors_total{error_code="MCP-006",tool="knock"}'
    assert f"{series} 0.0" in metrics.exposition()[0].decode()
    await gate.codes(5)
    assert f"{series} 2.0" in metrics.exposition()[0].decode()


# --- the times of calls --------------------------------------------------------------------------------------------

STEPS = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 1.0, 3.7, 9.9, 10.0, 25.0]), st.sampled_from("ab")), max_size=60)


@given(STEPS, st.integers(1, 5))
def test_never_more_than_the_limit_is_accepted_in_any_span_of_the_window(
    steps: list[tuple[float, str]], calls: int
) -> None:
    clock, limit = ManualClock(), RateLimit(calls=calls, window_s=10)
    times, accepted = CallTimes(clock), defaultdict[str, list[float]](list)
    for pause_s, caller in steps:
        clock.advance(pause_s)
        now = clock.monotonic()
        wait_s = times.count(caller, limit)
        recent = [at for at in accepted[caller] if at + limit.window_s > now]
        if wait_s == 0:
            accepted[caller].append(now)
            assert len(recent) < calls, "the window is full"
        else:
            assert len(recent) == calls, "there is room in the window"
            assert math.isclose(wait_s, recent[0] + limit.window_s - now)


def test_callers_whose_calls_no_longer_count_are_forgotten() -> None:
    clock = ManualClock()
    times = CallTimes(clock)
    for number in range(10_000):
        times.count(f"caller {number}", LIMIT)
    assert times.held_bytes > 10_000_000
    clock.advance(LIMIT.window_s)
    times.count("another", LIMIT)
    assert times.held_bytes < 2000


def test_callers_of_any_number_hold_no_more_bytes_than_allowed() -> None:
    times = CallTimes(ManualClock(), max_bytes=100_000)
    for number in range(1000):
        times.count(f"caller {number}", LIMIT)
        assert times.held_bytes <= 100_000
    assert times.count("caller 999", RateLimit(calls=1, window_s=60)) == 60, "the latest callers are remembered"


def test_a_caller_that_goes_on_calling_is_not_forgotten_for_others() -> None:
    times = CallTimes(ManualClock(), max_bytes=100_000)
    for _ in range(LIMIT.calls):
        times.count("persistent", LIMIT)
    for number in range(1000):
        times.count(f"caller {number}", LIMIT)
        assert times.count("persistent", LIMIT) > 0


@pytest.mark.parametrize("calls", [1, 500])
def test_one_caller_holds_no_more_than_its_limit(calls: int) -> None:
    clock, limit = ManualClock(), RateLimit(calls=calls, window_s=1)
    times = CallTimes(clock)
    for _ in range(3000):
        times.count("a", limit)
        clock.advance(0.001)
    assert times.held_bytes <= 1024 + 32 * calls
