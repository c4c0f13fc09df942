"""Prove every promise of signal-mcp on a real Redis, also when it fails."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from tests.contracts.reading import tool
from tests.servers.contracts import Observations, answers
from tests.servers.harness import Answer, ServerUnderTest, break_handler, open_server
from tests.services.valkey import Valkey
from tests.toolpact.process import PATIENCE_S
from toolpact.testing import ManualClock, capture_logs

SERVER = "agents.signals"
PUBLISH = "publish_signal"
PROMISED = tool(SERVER, PUBLISH)
EXAMPLE = PROMISED["examples"][0]


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as server:
        yield server


@pytest.fixture
def settings(valkey: Valkey) -> dict[str, Any]:
    """Settings of a server without earlier signals."""
    valkey.command("FLUSHALL")
    return {"redis_url": valkey.url}


@pytest.fixture
async def signals(
    settings: dict[str, Any], clock: ManualClock, observations: Observations
) -> AsyncIterator[ServerUnderTest]:
    async with open_server(SERVER, settings, observations, clock) as server:
        yield server


async def publish(signals: ServerUnderTest, key: str | None = None, **more: Any) -> Answer:
    """Publish the contract's example with other members."""
    return await signals.call(PUBLISH, key, **EXAMPLE["arguments"] | more)


async def test_the_contracts_example_is_the_answer(signals: ServerUnderTest) -> None:
    assert (await publish(signals)).body["data"] == EXAMPLE["returns"]


@answers(PUBLISH, "INVALID_PARAMETER")
@pytest.mark.parametrize(
    "change",
    [
        {"action": "buy"},
        {"confidence": 0.26},
        {"confidence": 0.951},
        {"signal_id": "abc"},
        {"symbol": ""},
        {"strategies_analyzed": -1},
        {"reasoning": ""},
        {"unknown": 1},
    ],
    ids=str,
)
async def test_a_signal_that_breaks_the_schema_is_not_published(
    signals: ServerUnderTest, valkey: Valkey, change: dict[str, Any]
) -> None:
    assert (await publish(signals, **change)).code == "INVALID_PARAMETER"
    assert valkey.command("DBSIZE") == 0


@answers(PUBLISH, "IDEMPOTENCY_CONFLICT")
async def test_another_signal_under_the_same_key_is_a_conflict(signals: ServerUnderTest) -> None:
    assert (await publish(signals, "once")).code is None
    assert (await publish(signals, "once", action="SELL")).code == "IDEMPOTENCY_CONFLICT"


@answers(PUBLISH, "DATABASE_ERROR")
async def test_without_redis_a_signal_is_not_published(signals: ServerUnderTest, valkey: Valkey) -> None:
    with valkey.stopped(), capture_logs():
        assert (await publish(signals)).code == "DATABASE_ERROR"
    assert (await publish(signals)).code is None


@answers(PUBLISH, "TIMEOUT")
async def test_a_redis_that_takes_too_long_is_a_timeout_at_the_deadline(
    settings: dict[str, Any], clock: ManualClock, observations: Observations, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = asyncio.Event()

    async def wait(*_arguments: Any, **_options: Any) -> None:
        waiting.set()
        await asyncio.Event().wait()

    monkeypatch.setattr("toolpact.sources.redis.publication.publish_once", wait)
    async with open_server(SERVER, settings, observations, clock) as signals:
        call = asyncio.create_task(publish(signals))
        async with asyncio.timeout(PATIENCE_S):
            await waiting.wait()
        clock.advance(PROMISED["deadline"]["timeout_ms"] / 1000)
        assert (await call).code == "TIMEOUT"


@answers(PUBLISH, "INTERNAL_ERROR")
async def test_the_bug_of_the_handler_is_an_internal_error_without_its_text(
    settings: dict[str, Any], observations: Observations, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_handler(monkeypatch, SERVER, PUBLISH)
    with capture_logs():
        async with open_server(SERVER, settings, observations) as signals:
            answer = await publish(signals)
    assert (answer.code, answer.message, answer.details) == ("INTERNAL_ERROR", "The server failed to answer.", {})
