"""Faults between a server and the sandbox's stand-in for a source."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

import sandbox
from generated.tradestream.strategy.client import StrategyClient
from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import PATIENCE_S, started
from toolaccord.pytest import Serve
from toolaccord.testing.faults import Relay
from toolaccord.testing.sandbox_faults import VARIABLE

FEATURES = "generated.platform.features"
DEADLINE_S = 0.5
"""Deadline of the tool, for which the contract declares the code MCP-004."""
_PAUSE_S = 0.1
"""Seconds between two calls: a caller may make 100 a minute."""


async def test_a_server_goes_on_when_the_database_of_the_sandbox_is_back(serve: Serve) -> None:
    with sandbox.environment({"DATABASE_URL"}) as values:
        async with (
            Relay(values["DATABASE_URL"]).running() as relay,
            serve(StrategyClient, settings={"database_url": relay.url}) as strategy,
        ):
            await relay.refuse()
            failed = await strategy.call("get_top_strategies", {"symbol": "ADA/USD", "limit": 3})
            relay.accept()
            found = await strategy.call("get_top_strategies", {"symbol": "ADA/USD", "limit": 3})
    assert failed.code == "DATABASE_ERROR"
    assert len(found.result["items"]) == 3


class Features:
    """Asks a server for windows that no cache has."""

    def __init__(self, server: Listener) -> None:
        self._client, self._asked = server.client, count()
        self._start = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(days=18)

    async def answers(self, code: str) -> None:
        """Ask until the answer has *code*, or is a result for an empty one; each comes in time."""
        async with asyncio.timeout(PATIENCE_S):
            await self._client.get("/health")  # a server waits some seconds for its sources first
            while await self._ask() != code:  # noqa: ASYNC110 - the server says when its sources have changed
                await asyncio.sleep(_PAUSE_S)

    async def _ask(self) -> str:
        more, shift = divmod(next(self._asked), 200)
        start = self._start + timedelta(hours=shift)
        end = start + timedelta(hours=15 + more)
        window = {"symbol": "ETH/USD", "start": start.isoformat(), "end": end.isoformat(), "interval": "1h"}
        began = time.monotonic()
        answer = await self._client.post("/mcp/tools/features.ohlcv_window", json=window | {"features": ["sma"]})
        assert time.monotonic() - began < DEADLINE_S + 4  # of a machine that does much else
        return str(answer.json().get("error", {}).get("code", ""))


@pytest.mark.parametrize(
    "faults, code",
    [
        ("INFLUXDB_URL:delay=60", "MCP-004"),
        ("INFLUXDB_URL:freeze", "MCP-004"),
        ("INFLUXDB_URL:refuse", "MCP-003"),
        ("INFLUXDB_URL:cut", "MCP-003"),
        ("REDIS_URL:refuse, NATS_URL:freeze REDIS_URL:delay=1", ""),
    ],
)
async def test_a_call_has_its_declared_code_in_time_while_a_source_of_the_sandbox_is_faulty(
    faults: str, code: str
) -> None:
    async with listening("--sandbox", module=FEATURES, environ={VARIABLE: faults}) as server:
        await Features(server).answers(code)


async def test_a_file_turns_the_switches_of_a_running_sandbox(tmp_path: Path) -> None:
    file = tmp_path / "faults"
    file.write_text("")
    async with listening("--sandbox", module=FEATURES, environ={VARIABLE: str(file)}) as server:
        features = Features(server)
        await features.answers("")
        for faults, code in (("INFLUXDB_URL:refuse\n", "MCP-003"), ("", ""), ("INFLUXDB_URL:freeze", "MCP-004")):
            file.write_text(faults)
            await features.answers(code)
        file.write_text("INFLUXDB_URL:explode")
        await server.process.log_has("sandbox: there is no switch explode; take one of delay")


@pytest.mark.parametrize(
    "faults, reason",
    [
        ("DATABASE_URL:refuse", "the sandbox did not start: SANDBOX_FAULTS has DATABASE_URL:refuse; take"),
        ("INFLUXDB_URL", "the sandbox did not start: there is no switch ; take one of delay, throttle, drop"),
        ("INFLUXDB_URL:delay=soon", "the sandbox did not start: could not convert string to float: 'soon'"),
    ],
)
async def test_wrong_faults_end_the_start_of_a_sandbox(faults: str, reason: str) -> None:
    async with started("--sandbox", module=FEATURES, environ={VARIABLE: faults}) as process:
        assert await process.exit_code() == 1
        assert reason in process.logged.decode()


async def test_without_the_sandbox_nothing_reads_the_faults() -> None:
    async with started(module=FEATURES, environ={VARIABLE: "nonsense", "INFLUXDB_URL": ""}) as process:
        assert await process.exit_code() == 2
        assert VARIABLE not in process.logged.decode()
