"""The error table of the signal generator's specification, a test for each row.

The generator, the servers and Redis are real processes, and the faults are real: killed and frozen processes, a proxy
that rejects calls.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.handlers.agents.generator import ERRORS, HASTY, SIGNALS, Floor, generating
from tests.services.rate_limiter import limiting
from tests.services.valkey import Valkey

STRATEGY_TOOLS = ("get_top_strategies", "get_strategy_signal")
MARKET_TOOLS = ("get_current_price", "get_candles", "get_volatility")


def test_strategy_mcp_unavailable_three_attempts_then_cached_strategies_for_a_fifth_of_the_confidence(
    floor: Floor,
) -> None:
    with generating(floor, "ETH/USD", "--every", "0.2", "--metrics-port", "0", module=HASTY) as generator:
        before = generator.only("successful")
        with floor.strategy.killed():
            partial = generator.until_published("get_top_strategies (result of")
            metrics = generator.metrics()
    assert (partial["missing_data"], partial["confidence_penalty"]) == (["strategies"], 0.2)
    assert partial["signal"]["strategy_breakdown"] == before["strategy_breakdown"]
    assert partial["signal"]["action"] == before["action"]
    assert partial["signal"]["confidence"] == pytest.approx(max(0.30, before["confidence"] * 0.8))
    for attempt in (1, 2):
        assert count(metrics, "retry_total", f'attempt="{attempt}",tool="get_top_strategies"') >= 1


def test_market_data_mcp_unavailable_three_attempts_then_no_context_and_a_tenth_less_confidence(
    floor: Floor,
) -> None:
    with generating(floor, "ETH/USD") as generator:
        before = generator.only("successful")
        assert generator.exit_code == 0
    floor.redis.command("FLUSHALL")
    with floor.market_data.killed(), generating(floor, "ETH/USD") as generator:
        partial = generator.only("partial")
        assert generator.exit_code == 0
    signal = partial["signal"]
    assert (partial["missing_data"], partial["confidence_penalty"]) == (["market_context"], 0.1)
    assert "market_context" not in signal
    unavailable = ", ".join(f"{tool} (ServerGone)" for tool in MARKET_TOOLS)
    assert f"Degraded signal due to unavailable tools: {unavailable}. The penalty for it is 10%." in signal["reasoning"]
    assert signal["confidence"] == pytest.approx(max(0.30, before["confidence"] * 0.9))
    assert retries(generator.logged("WARNING")) == {(tool, number) for tool in MARKET_TOOLS for number in ("1", "2")}


def test_all_tools_fail_three_attempts_each_then_hold_with_0_30(floor: Floor) -> None:
    with floor.strategy.killed(), floor.market_data.killed(), generating(floor, "ETH/USD") as generator:
        partial = generator.only("partial")
        assert generator.exit_code == 0
    assert (partial["signal"]["action"], partial["signal"]["confidence"]) == ("HOLD", 0.30)
    assert partial["missing_data"] == ["strategies", "market_context"]
    called = ("get_top_strategies", *MARKET_TOOLS)
    assert retries(generator.logged("WARNING")) == {(tool, number) for tool in called for number in ("1", "2")}


def test_timeout_exceeded_a_partial_signal_from_the_other_tools_and_a_warning(floor: Floor) -> None:
    with (
        floor.redis.subscribed(SIGNALS) as messages,
        generating(floor, "ETH/USD", "--every", "1", module=HASTY, environ={"HASTY_TIMEOUT_MS": "4000"}) as generator,
    ):
        generator.only("successful")
        with floor.market_data.frozen():
            partial = generator.until_published("get_candles (TimedOut)")
            generator.log_has('"WARNING".*"get_candles failed: market-data-mcp .* within')
        assert partial["signal"] in [payload for _, payload in messages()]
    assert partial["missing_data"] == ["market_context"]
    assert partial["signal"]["strategy_breakdown"] != []


def test_invalid_symbol_an_error_event_and_the_batch_goes_on(floor: Floor) -> None:
    with (
        floor.redis.subscribed(SIGNALS, ERRORS) as messages,
        generating(floor, "ethusd", "ABC/XYZ", "ETH/USD") as generator,
    ):
        batch = generator.batch()
        assert generator.exit_code == 1, "two of three symbols have no signal"
        published = messages()
    assert [(each["symbol"], each["error_type"]) for each in batch["failed"]] == [
        ("ethusd", "INVALID_PARAMETERS"),
        ("ABC/XYZ", "SYMBOL_NOT_FOUND"),
    ]
    errors = [payload for channel, payload in published if channel == ERRORS]
    assert sorted(errors, key=str) == sorted(batch["failed"], key=str)
    assert [payload for channel, payload in published if channel == SIGNALS] == batch["successful"]
    assert [each["symbol"] for each in batch["successful"]] == ["ETH/USD"]


def test_rate_limited_exponential_backoff_with_jitter_of_five_seconds_at_most(floor: Floor) -> None:
    with (
        limiting(floor.market_data.url, rejections=2) as url,
        generating(floor, "ETH/USD", environ={"MARKET_DATA_MCP_URL": url}) as generator,
    ):
        generator.only("successful")
        assert generator.exit_code == 0
    pauses = [line.split(" in ") for line in generator.logged("WARNING") if line.startswith("retry ")]
    assert {retry for retry, _ in pauses} == {f"retry {n} of {tool}" for n in (1, 2) for tool in MARKET_TOOLS}
    first, second = (
        [float(rest.split(" s: ")[0]) for retry, rest in pauses if retry.startswith(f"retry {n} ")] for n in (1, 2)
    )
    assert all(0.5 <= pause <= 0.55 for pause in first)
    assert all(1.0 <= pause <= 1.1 for pause in second)
    assert len({*first, *second}) > 2, "jitter makes them differ"
    assert all("HTTP status 429: too many requests" in rest for _, rest in pauses)


def test_without_redis_the_own_cache_serves_and_the_signal_is_written_and_published_once_redis_is_back(
    floor: Floor, tmp_path: Path
) -> None:
    with Valkey(tmp_path).running() as redis:
        arguments = ("ETH/USD", "--every", "0.5", "--metrics-port", "0")
        with generating(floor, *arguments, environ={"REDIS_URL": redis.url}) as generator:
            generator.only("successful")
            redis.stop()
            deferred = generator.until("deferred")
            redis.start()
            generator.log_has("the deferred event raw_signal: (published|duplicate)")
            metrics = generator.metrics()
    assert deferred["symbol"] == "ETH/USD"
    assert count(metrics, "publications_total", 'event="raw_signal",outcome="deferred"') >= 1
    assert count(metrics, "cache_hit_total", 'data_type="get_top_strategies"') >= 2
    assert count(metrics, "tool_calls_total", 'tool="get_top_strategies"') == 1, "the own cache has the others' result"


def test_a_run_without_redis_writes_its_signal_and_ends_after_publishing_it(floor: Floor, tmp_path: Path) -> None:
    with Valkey(tmp_path).running() as redis:
        redis.stop()
        with generating(floor, "ETH/USD", environ={"REDIS_URL": redis.url}) as generator:
            signal = generator.only("deferred")
            redis.start()
            assert generator.exit_code == 0
    assert signal["symbol"] == "ETH/USD"


def test_a_second_run_within_a_minute_says_that_its_signal_was_not_published(floor: Floor) -> None:
    with (
        floor.redis.subscribed(SIGNALS) as messages,
        generating(floor, "ETH/USD", "--every", "0.5", "--metrics-port", "0") as generator,
    ):
        first = generator.only("successful")
        batch = generator.batch()
        while first["signal_id"] not in [each["signal_id"] for each in batch["duplicate"]]:
            (first,) = batch["successful"]  # the next minute began
            batch = generator.batch()
        published = [payload["signal_id"] for _, payload in messages()]
        assert published.count(first["signal_id"]) == 1
        assert count(generator.metrics(), "publications_total", 'event="raw_signal",outcome="duplicate"') >= 1


def test_a_complete_signal_replaces_a_degraded_one_of_its_minute_and_a_degraded_one_replaces_nothing(
    floor: Floor,
) -> None:
    with floor.redis.subscribed(SIGNALS) as messages:
        with (
            floor.market_data.killed(),
            generating(floor, "ETH/USD", "--every", "0.2", module=HASTY) as generator,
        ):
            partial = generator.only("partial")["signal"]
        with generating(floor, "ETH/USD", "--every", "0.2") as generator:
            complete = generator.batch()["successful"][0]
        published = [payload for _, payload in messages() if "is_degraded" not in payload]
    assert partial["is_degraded"] is True
    assert complete in published
    assert complete.get("revision") == (2 if complete["signal_id"] == partial["signal_id"] else None)


def test_invalid_answers_are_missing_data_without_a_retry_and_an_error_in_the_log(floor: Floor) -> None:
    another = {"MARKET_DATA_MCP_URL": floor.strategy.url}
    with generating(floor, "ETH/USD", environ=another) as generator:
        partial = generator.only("partial")
        assert generator.exit_code == 0
    assert partial["missing_data"] == ["market_context"]
    assert retries(generator.logged("WARNING")) == set()
    assert [line.partition(" failed: ")[0] for line in sorted(generator.logged("ERROR"))] == sorted(MARKET_TOOLS)


def retries(warnings: list[str]) -> set[tuple[str, str]]:
    """Return tool and number of each retry in the log."""
    words = [line.split() for line in warnings if line.startswith("retry ")]
    return {(each[3], each[1]) for each in words}


def count(metrics: list[str], name: str, labels: str) -> float:
    """Return the value of a series."""
    (line,) = (line for line in metrics if line.startswith(f"signal_generator_{name}{{{labels}}} "))
    return float(line.rpartition(" ")[2])
