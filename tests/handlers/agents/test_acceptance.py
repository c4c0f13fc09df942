"""The acceptance criteria of the signal generator's specification, a test for each.

Generator, servers and Redis are real processes. Those about models are elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import jsonschema
import pytest

from generated.agents.signal_generator.agent import agent
from handlers.agents import signal_generator
from tests.handlers.agents.generator import ERRORS, HASTY, SIGNALS, Floor, Generator, generating
from tests.handlers.agents.specification import specified_confidence
from tests.services.mcp_server import McpServer
from tests.services.rate_limiter import limiting
from tests.toolaccord.process import ROOT

SCHEMA = json.loads((ROOT / "generated/agents/signal_generator/schemas/output.json").read_text(encoding="utf-8"))
STRATEGY_TOOLS = ("get_top_strategies", "get_strategy_signal")
MARKET_TOOLS = ("get_current_price", "get_candles", "get_volatility")
TOOLS = (*STRATEGY_TOOLS, *MARKET_TOOLS)
MEMBERS = {
    "signal_id", "symbol", "action", "confidence", "strategies_analyzed", "strategies_bullish", "strategies_bearish",
    "strategies_neutral", "top_strategy", "strategy_breakdown", "reasoning", "market_context", "timestamp",
}  # fmt: skip
"""The members of the specification's example."""
METRICS = {
    "signals_total", "latency_ms", "tool_calls_total", "errors_total", "confidence_histogram", "retry_total", "retry_exhausted_total",
    "cache_hit_total", "cache_miss_total", "degraded_signals_total", "model_fallback_total", "batch_success_rate",
}  # fmt: skip
"""The metrics of the specification."""
PUBLICATIONS = "publications_total"
"""The metric that tells which signals were published; the specification has none."""
IN_FLIGHT = "requests_in_flight"
"""The metric by which Kubernetes scales agents that serve; the specification has none."""


@dataclass(frozen=True, slots=True)
class Run:
    """A batch with everything that it left behind."""

    batch: dict[str, Any]
    published: list[tuple[str, dict[str, Any]]]
    lines: list[dict[str, Any]]
    """The generator's log."""
    served: list[dict[str, Any]]
    """The lines of both servers' logs about its calls."""
    metrics: list[str]

    @property
    def signals(self) -> list[dict[str, Any]]:
        """The published signals."""
        return [payload for channel, payload in self.published if channel == SIGNALS]

    def count(self, series: str) -> float:
        """Return the value of a metric, whose name begins with the agent's."""
        (line,) = (line for line in self.metrics if line.startswith(f"signal_generator_{series} "))
        return float(line.rpartition(" ")[2])


@pytest.fixture(scope="module")
def run(shared_floor: Floor) -> Run:
    """A batch of two symbols with signals, an unknown and an invalid one; all servers are well."""
    shared_floor.redis.command("FLUSHALL")
    arguments = ("ETH/USD", "ABC/XYZ", "ethusd", "BTC/USD", "--every", "86400", "--metrics-port", "0")
    with (
        shared_floor.redis.subscribed(SIGNALS, ERRORS) as messages,
        generating(shared_floor, *arguments) as generator,
    ):
        batch, published, metrics = generator.batch(), messages(), generator.metrics()
        generator.log_has('"message":"batch"')
        lines = generator.lines
        requests = {line["corr_id"] for line in lines if line["message"] == "request"}
        servers = ((shared_floor.strategy, STRATEGY_TOOLS), (shared_floor.market_data, MARKET_TOOLS))
        served = [line for server, tools in servers for line in await_served(server, requests, calls(metrics, tools))]
        return Run(batch, published, lines, served, metrics)


@pytest.fixture
def hasty(floor: Floor) -> Iterator[Generator]:
    """A generator that analyses ETH/USD in rounds, after the first one."""
    with generating(floor, "ETH/USD", "--every", "1", "--metrics-port", "0", module=HASTY) as generator:
        assert generator.batch()["success_rate"] == 1
        yield generator


def test_the_agent_analyzes_a_symbol_using_mcp_tools_of_both_servers(run: Run) -> None:
    for request in requests_of(run, "ETH/USD", "BTC/USD"):
        called = [line["tool"] for line in run.served if line["corr_id"] == request["corr_id"]]
        assert set(called) == set(TOOLS)
        assert called.count("get_strategy_signal") == 5


def test_a_raw_signal_is_published_to_redis_within_10_seconds_also_if_all_tools_hang(
    floor: Floor, hasty: Generator
) -> None:
    with floor.redis.subscribed(SIGNALS) as messages, floor.strategy.frozen(), floor.market_data.frozen():
        partial = hasty.until_published("get_candles (TimedOut)")
        assert partial["signal"] in [payload for _, payload in messages()]
    slowest = {
        line.rpartition(" ")[2]
        for line in hasty.metrics()
        if 'latency_ms_bucket{le="10000.0"}' in line or 'latency_ms_bucket{le="+Inf"}' in line
    }
    assert len(slowest) == 1, "no request took more"


def test_the_reasoning_includes_the_strategy_breakdown_with_individual_signals(run: Run) -> None:
    for signal in run.signals:
        parts = (
            f"{each['name']} {each['signal']} (score {each['score']:.2f})" for each in signal["strategy_breakdown"]
        )
        assert signal["reasoning"].endswith(f"Strategies: {', '.join(parts)}.")


def test_tool_failures_are_handled_with_three_attempts_and_exponential_backoff(floor: Floor) -> None:
    with (
        limiting(floor.strategy.url, rejections=2) as url,
        generating(floor, "ETH/USD", environ={"STRATEGY_MCP_URL": url}) as generator,
    ):
        generator.only("successful")
        assert generator.exit_code == 0
    pauses = [float(line.split()[5]) for line in generator.logged("WARNING") if " of get_top_strategies in " in line]
    assert len(pauses) == 2, "three attempts"
    assert pauses == [pytest.approx(0.525, abs=0.026), pytest.approx(1.05, abs=0.051)]


def test_cached_data_replaces_that_of_failing_tools_with_defined_lifetimes(floor: Floor, hasty: Generator) -> None:
    before = hasty.until("successful")
    with floor.strategy.killed(), floor.market_data.killed():
        partial = hasty.until_published("get_top_strategies (result of", "get_current_price (result of")
    assert partial["signal"]["strategy_breakdown"] == before["strategy_breakdown"]
    assert partial["signal"]["market_context"]["current_price"] == pytest.approx(
        before["market_context"]["current_price"], rel=0.05
    )
    lifetimes = {
        each.tool.name: (each.cache.ttl_s, each.cache.stale_if_error_s)
        for use in agent(signal_generator).uses
        for each in use.tools
        if each.cache
    }
    assert lifetimes == {
        "get_top_strategies": (300, 600),
        "get_strategy_signal": (60, 300),
        "get_current_price": (10, 120),
        "get_candles": (60, None),
        "get_volatility": (60, None),
    }


def test_partial_failures_publish_degraded_signals_with_reduced_confidence(floor: Floor, hasty: Generator) -> None:
    before = hasty.until("successful")
    with floor.redis.subscribed(SIGNALS) as messages, floor.market_data.killed():
        partial = hasty.until_published("get_candles (ServerGone)")
        published = messages()[-1][1]
    assert published == partial["signal"]
    assert published["is_degraded"] is True
    assert published["confidence"] == pytest.approx(max(0.30, before["confidence"] * 0.9))


def test_a_batch_continues_despite_the_failures_of_symbols(run: Run) -> None:
    assert [signal["symbol"] for signal in run.batch["successful"]] == ["ETH/USD", "BTC/USD"]
    assert [failure["symbol"] for failure in run.batch["failed"]] == ["ABC/XYZ", "ethusd"]
    assert run.batch["success_rate"] == 0.5


def test_the_format_of_signals_matches_the_schema_exactly(run: Run) -> None:
    assert len(run.signals) == 2
    for signal in run.signals:
        jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(signal)
        assert signal.keys() == MEMBERS
    assert sorted(run.signals, key=str) == sorted(run.batch["successful"], key=str)


def test_the_confidence_follows_the_defined_formula(run: Run) -> None:
    for signal in run.signals:
        votes = signal["strategy_breakdown"]
        expected = specified_confidence([each["signal"] for each in votes], [each["score"] for each in votes], 5)
        assert signal["confidence"] == pytest.approx(float(expected), rel=1e-9)


def test_the_page_of_metrics_has_all_twelve_of_the_specification(run: Run) -> None:
    kinds = dict(line.split()[2:] for line in run.metrics if line.startswith("# TYPE signal_generator_"))
    assert {name.removeprefix("signal_generator_") for name in kinds if not name.endswith("_created")} == {
        *METRICS,
        PUBLICATIONS,
        IN_FLIGHT,
    }
    actions = [signal["action"] for signal in run.signals]
    for action in actions:
        assert run.count(f'signals_total{{action="{action}"}}') == actions.count(action)
    assert run.count("latency_ms_count") == 4
    assert run.count('tool_calls_total{tool="get_strategy_signal"}') == 10
    assert run.count('errors_total{type="SYMBOL_NOT_FOUND"}') == 1
    assert run.count("confidence_histogram_count") == 2
    assert run.count('retry_total{attempt="2",tool="get_candles"}') == 0
    assert run.count('retry_exhausted_total{tool="get_candles"}') == 0
    assert run.count('cache_hit_total{data_type="get_candles"}') == 0
    assert run.count('cache_miss_total{data_type="get_volatility"}') == 3
    assert run.count("degraded_signals_total") == 0
    assert run.count('model_fallback_total{from=""}') == 0
    assert run.count("batch_success_rate") == 0.5
    assert run.count('publications_total{event="raw_signal",outcome="published"}') == 2


def test_correlation_ids_lead_from_the_log_of_the_agent_to_those_of_the_servers(run: Run) -> None:
    logged = requests_of(run, "ETH/USD", "ABC/XYZ", "BTC/USD")
    assert {request["corr_id"] for request in logged} == {line["corr_id"] for line in run.served}
    assert len({request["corr_id"] for request in logged}) == 3


def requests_of(run: Run, *symbols: str) -> list[dict[str, Any]]:
    """Return the lines of the generator's log about these requests."""
    lines = {line["request"]["symbol"]: line for line in run.lines if line["message"] == "request"}
    return [lines[symbol] for symbol in symbols]


def calls(metrics: list[str], tools: Collection[str]) -> float:
    """Return the number of calls of *tools*."""
    series = [f'signal_generator_tool_calls_total{{tool="{tool}"}}' for tool in tools]
    return sum(float(line.rpartition(" ")[2]) for line in metrics if line.rpartition(" ")[0] in series)


def await_served(server: McpServer, corr_ids: Collection[str], calls: float) -> list[dict[str, Any]]:
    """Return the lines of a server's log about all *calls* of some requests."""

    def find(lines: list[str]) -> list[dict[str, Any]] | None:
        logged = [json.loads(line) for line in lines if line.startswith("{")]
        served = [line for line in logged if line["message"] == "call" and line["corr_id"] in corr_ids]
        return served if len(served) == calls else None

    return server.log.wait_for(find)
