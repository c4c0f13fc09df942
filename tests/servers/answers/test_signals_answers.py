"""Prove every promise of signal-mcp on a real Redis, also when it fails."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, cast

import pytest

from handlers.agents.evidence_clients import EvidenceCall
from tests.contracts.reading import tool
from tests.handlers.agents.scripted_tools import NOW, ScriptedTools
from tests.servers.contracts import Observations, answers
from tests.servers.harness import Answer, ServerUnderTest, break_handler, open_server
from tests.services.valkey import Valkey
from tests.toolaccord.process import PATIENCE_S
from toolaccord.testing import ManualClock, capture_logs

SERVER = "agents.signals"
COLLECT, PUBLISH = "collect_evidence", "publish_signal"
SYMBOL = "ETH/USD"
WORDS = "The top strategies agree on BUY, and the price is up 2.3% in the last hour."

UNKNOWN = {"symbol": SYMBOL, "evidence_id": "sig-abc123", "reasoning": WORDS}
"""Arguments of a publication without evidence."""


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as server:
        yield server


@pytest.fixture
def settings(valkey: Valkey) -> dict[str, Any]:
    """Settings of a server without earlier evidence."""
    valkey.command("FLUSHALL")
    return {"redis_url": valkey.url}


@pytest.fixture
def tools() -> ScriptedTools:
    """The tools behind the evidence."""
    return ScriptedTools()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
async def signals(
    settings: dict[str, Any],
    clock: ManualClock,
    observations: Observations,
    tools: ScriptedTools,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[ServerUnderTest]:
    @asynccontextmanager
    async def open_call(settings: Any, now: Any) -> AsyncIterator[EvidenceCall]:
        yield EvidenceCall(
            strategy=tools.strategy, market_data=tools.market_data, settings=settings, now=now, read_clock=clock.now
        )

    monkeypatch.setattr("handlers.agents.signals.open_evidence_call", open_call)
    async with open_server(SERVER, settings, observations, clock) as server:
        yield server


async def collect(signals: ServerUnderTest) -> Any:
    """Return the result of collecting evidence."""
    answer = await signals.call(COLLECT, symbol=SYMBOL)
    assert answer.code is None, answer
    return answer.body["data"]


async def publish(signals: ServerUnderTest, evidence_id: str, key: str | None = None, /, **more: Any) -> Answer:
    """Publish evidence with WORDS and other members."""
    return await signals.call(PUBLISH, key, **{"symbol": SYMBOL, "evidence_id": evidence_id, "reasoning": WORDS} | more)


async def publish_as_before(signals: ServerUnderTest, signal: dict[str, Any], version: str = "1.1.0") -> str | None:
    """Publish a whole signal in the deprecated version; return the error's code."""
    result = await signals.client.call_tool(PUBLISH, signal, meta=cast("Any", {"version": version}))
    body: dict[str, Any] = json.loads(cast("Any", result.content[0]).text)
    return cast("str | None", (body.get("error") or {}).get("code"))


def whole(evidence: Any, **more: Any) -> dict[str, Any]:
    """Return the signal that a caller of 1.1.0 sends."""
    signal: dict[str, Any] = evidence["raw_signal"]
    return signal | {"signal_id": evidence["evidence_id"], "reasoning": WORDS} | more


async def test_evidence_is_the_judgement_of_the_agent(signals: ServerUnderTest, tools: ScriptedTools) -> None:
    evidence = await collect(signals)
    agent = await tools.answer()
    assert evidence["raw_signal"] == agent.model_dump(mode="json", exclude_none=True)


async def test_the_result_names_signal_channel_and_publication(signals: ServerUnderTest) -> None:
    evidence = await collect(signals)
    answer = await publish(signals, evidence["evidence_id"])
    signal_id = evidence["raw_signal"]["signal_id"]
    assert answer.body["data"] == {
        "signal_id": signal_id,
        "channel": "channel:raw-signals",
        "publication": "published",
    }


@answers(PUBLISH, "EVIDENCE_NOT_FOUND")
async def test_evidence_is_published_once_for_its_own_symbol_while_it_lives(
    signals: ServerUnderTest, valkey: Valkey
) -> None:
    evidence_id = (await collect(signals))["evidence_id"]
    ttl_s = cast("int", valkey.command("TTL", f"signal-evidence:{evidence_id}"))
    assert 290 <= ttl_s <= 300
    assert (await publish(signals, evidence_id, symbol="BTC/USD")).code == "EVIDENCE_NOT_FOUND"
    assert (await publish(signals, "sig-abc123")).code == "EVIDENCE_NOT_FOUND"
    assert (await publish(signals, evidence_id)).code is None
    again = await publish(signals, evidence_id, reasoning="The strategies agree.")
    assert (again.code, again.details) == ("EVIDENCE_NOT_FOUND", {"evidence_id": evidence_id})


@answers(PUBLISH, "UNSUPPORTED_WORDS")
@pytest.mark.parametrize(
    "words", ["The price is up 5%.", "Sell now.", "BTC is up 2.3%.", "See https://example.com.", "\u200b"]
)
async def test_words_that_the_evidence_does_not_support_are_rejected_and_the_evidence_stays(
    signals: ServerUnderTest, words: str
) -> None:
    evidence_id = (await collect(signals))["evidence_id"]
    assert (await publish(signals, evidence_id, reasoning=words)).code == "UNSUPPORTED_WORDS"
    assert (await publish(signals, evidence_id)).code is None


async def test_the_deprecated_version_publishes_a_signal_that_is_its_evidence(signals: ServerUnderTest) -> None:
    evidence = await collect(signals)
    rounded = whole(evidence, confidence=round(evidence["raw_signal"]["confidence"], 2))
    assert await publish_as_before(signals, rounded) is None


@answers(PUBLISH, "EVIDENCE_MISMATCH")
@pytest.mark.parametrize(
    "change",
    [
        {"action": "SELL"},
        {"confidence": 0.95},
        {"strategies_analyzed": 99},
        {"strategies_bullish": 5},
        {"market_context": {"current_price": -1}},
        {"timestamp": "1999-01-01T00:00:00Z"},
        {"timestamp": "2026-11-23T12:41:00Z"},
    ],
    ids=str,
)
async def test_the_deprecated_version_publishes_nothing_else(signals: ServerUnderTest, change: dict[str, Any]) -> None:
    evidence = await collect(signals)
    assert await publish_as_before(signals, whole(evidence, **change)) == "EVIDENCE_MISMATCH"
    claim = {"action": "SELL", "confidence": 0.5}
    answer = await publish(signals, evidence["evidence_id"], claim=claim)
    assert answer.code == "EVIDENCE_MISMATCH"
    assert "action" in answer.details["members"]


async def test_an_invented_signal_is_not_published(signals: ServerUnderTest) -> None:
    invented: dict[str, Any] = {
        "signal_id": "sig-abc123", "symbol": SYMBOL, "action": "BUY", "confidence": 0.95, "strategies_analyzed": 5,
        "strategies_bullish": 1, "strategies_bearish": 0, "strategies_neutral": 0, "strategy_breakdown": [],
        "reasoning": "Buy.", "market_context": {"current_price": -1}, "timestamp": "1999-01-01T00:00:00Z",
    }  # fmt: skip
    assert await publish_as_before(signals, invented) == "EVIDENCE_NOT_FOUND"
    assert (await signals.call(PUBLISH, **invented)).code == "INVALID_PARAMETER"


@answers(PUBLISH, "VERSION_SUNSET")
async def test_the_deprecated_version_ends_60_days_after_its_deprecation(
    signals: ServerUnderTest, clock: ManualClock, observations: Observations
) -> None:
    evidence = await collect(signals)
    clock.advance(timedelta(days=61).total_seconds())
    code = await publish_as_before(signals, whole(evidence))
    observations.answers.add((PUBLISH, str(code)))
    assert code == "VERSION_SUNSET"


@answers(COLLECT, "SYMBOL_NOT_FOUND")
async def test_a_symbol_without_strategies_has_no_evidence(signals: ServerUnderTest, tools: ScriptedTools) -> None:
    tools.ranking = {"code": "SYMBOL_NOT_FOUND", "details": {"symbol": SYMBOL}}
    answer = await signals.call(COLLECT, symbol=SYMBOL)
    assert (answer.code, answer.details) == ("SYMBOL_NOT_FOUND", {"symbol": SYMBOL})


@answers(COLLECT, "INVALID_SYMBOL")
async def test_a_symbol_that_a_server_rejects_has_no_evidence(signals: ServerUnderTest, tools: ScriptedTools) -> None:
    tools.ranking = {"code": "INVALID_SYMBOL"}
    assert (await signals.call(COLLECT, symbol=SYMBOL)).code == "INVALID_SYMBOL"
    assert (await signals.call(COLLECT, symbol="")).code == "INVALID_SYMBOL"


@answers(COLLECT, "INVALID_PARAMETER")
@answers(PUBLISH, "INVALID_PARAMETER")
@pytest.mark.parametrize("change", [{"evidence_id": "abc"}, {"reasoning": ""}, {"confidence": 0.9}], ids=str)
async def test_arguments_that_break_the_schema_are_rejected(
    signals: ServerUnderTest, valkey: Valkey, change: dict[str, Any]
) -> None:
    assert (await publish(signals, "sig-abc123", **change)).code == "INVALID_PARAMETER"
    assert (await signals.call(COLLECT, symbol=SYMBOL, unknown=1)).code == "INVALID_PARAMETER"
    assert valkey.command("DBSIZE") == 0


@answers(PUBLISH, "IDEMPOTENCY_CONFLICT")
async def test_other_words_under_the_same_key_are_a_conflict(signals: ServerUnderTest) -> None:
    evidence_id = (await collect(signals))["evidence_id"]
    assert (await publish(signals, evidence_id, "once")).code is None
    assert (await publish(signals, evidence_id, "once")).code is None
    assert (await publish(signals, evidence_id, "once", reasoning="Buy.")).code == "IDEMPOTENCY_CONFLICT"


@answers(COLLECT, "DATABASE_ERROR")
@answers(PUBLISH, "DATABASE_ERROR")
async def test_without_redis_nothing_is_collected_or_published(signals: ServerUnderTest, valkey: Valkey) -> None:
    with valkey.stopped(), capture_logs():
        assert (await publish(signals, "sig-abc123")).code == "DATABASE_ERROR"
        assert (await signals.call(COLLECT, symbol=SYMBOL)).code == "DATABASE_ERROR"
    assert (await signals.call(COLLECT, symbol=SYMBOL)).code is None


@answers(COLLECT, "RATE_LIMITED")
async def test_a_caller_collects_at_most_120_times_a_minute(
    settings: dict[str, Any], clock: ManualClock, observations: Observations
) -> None:
    async with open_server(SERVER, settings, observations, clock, True) as signals:
        codes = [(await signals.call(COLLECT, unknown=1)).code for _ in range(121)]
    assert codes == ["INVALID_SYMBOL"] * 120 + ["RATE_LIMITED"]


@pytest.mark.parametrize(
    "name, function, arguments",
    [
        pytest.param(COLLECT, "keep_evidence", {"symbol": SYMBOL}, marks=answers(COLLECT, "TIMEOUT")),
        pytest.param(PUBLISH, "find_evidence", UNKNOWN, marks=answers(PUBLISH, "TIMEOUT")),
    ],
)
async def test_a_redis_that_takes_too_long_is_a_timeout_at_the_deadline(
    signals: ServerUnderTest,
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    function: str,
    arguments: dict[str, Any],
) -> None:
    waiting = asyncio.Event()

    async def wait(*_arguments: Any, **_options: Any) -> None:
        waiting.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(f"handlers.agents.signals.{function}", wait)
    call = asyncio.create_task(signals.call(name, **arguments))
    async with asyncio.timeout(PATIENCE_S):
        await waiting.wait()
    clock.advance(tool(SERVER, name)["deadline"]["timeout_ms"] / 1000)
    assert (await call).code == "TIMEOUT"


@pytest.mark.parametrize(
    "name, arguments",
    [
        pytest.param(COLLECT, {"symbol": SYMBOL}, marks=answers(COLLECT, "INTERNAL_ERROR")),
        pytest.param(PUBLISH, UNKNOWN, marks=answers(PUBLISH, "INTERNAL_ERROR")),
    ],
)
async def test_the_bug_of_the_handler_is_an_internal_error_without_its_text(
    settings: dict[str, Any],
    observations: Observations,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    arguments: dict[str, Any],
) -> None:
    break_handler(monkeypatch, SERVER, name)
    with capture_logs():
        async with open_server(SERVER, settings, observations) as signals:
            answer = await signals.call(name, **arguments)
    assert (answer.code, answer.message, answer.details) == ("INTERNAL_ERROR", "The server failed to answer.", {})
