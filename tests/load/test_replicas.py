"""Three replicas behind a real proxy: 200 clients that never try twice lose no call, also while a replica stops.

`./run load` runs this; it takes a minute and both cores, so `.ci/run` leaves it out.
"""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import pytest

import sandbox
from tests.conftest import Say
from tests.load.callers import Question, Record, crowd, data, over_rest
from tests.services.fetched import fetched
from tests.services.haproxy import proxy
from tests.services.served import Served, free_port, serving

pytestmark = pytest.mark.load

ROOT = Path(__file__).parents[2]
REPLICAS, CLIENTS, SECONDS = 3, 200, 30
SYMBOLS = ("BTC/USD", "ETH/USD", "SOL/USD")
METRICS = ("sharpe", "accuracy", "return")
FRESH = {f"{tool}_CACHE_TTL_S": "0" for tool in ("GET_TOP_STRATEGIES", "GET_STRATEGY_SIGNAL", "GET_STRATEGY_CONSENSUS")}
"""Nothing is kept: each call asks PostgreSQL."""


@pytest.fixture
async def replicas() -> AsyncIterator[list[Served]]:
    """Three replicas of strategy-mcp on one database."""
    settings = FRESH | {"MCP_DRAIN_S": "2", "MCP_GRACE_S": "10"}
    with sandbox.environment(["DATABASE_URL"]) as given:
        async with AsyncExitStack() as stack:
            yield [
                await stack.enter_async_context(
                    serving("generated.tradestream.strategy", ROOT, env={**given, **settings})
                )
                for _ in range(REPLICAS)
            ]


async def ready(url: str) -> None:
    """Wait until the proxy is there and has a replica that is ready."""
    async with asyncio.timeout(30), aiohttp.ClientSession(url) as client:
        while not await is_ready(client):  # noqa: ASYNC110 - another process decides
            await asyncio.sleep(0.05)


async def is_ready(client: aiohttp.ClientSession) -> bool:
    """Whether a replica answers that it is."""
    try:
        async with client.get("/ready") as response:
            return response.status == 200
    except aiohttp.ClientConnectionError:
        return False


async def asked(url: str) -> list[Question]:
    """Questions to all three tools, with what a server that nobody disturbs answers."""
    async with aiohttp.ClientSession(url) as client:

        async def question(tool: str, **arguments: object) -> Question:
            return Question(tool, arguments, data(await over_rest(client, tool, arguments)))

        best = [
            await question("get_top_strategies", symbol=symbol, metric=metric)
            for symbol in SYMBOLS
            for metric in METRICS
        ]
        agreed = [await question("get_strategy_consensus", symbol=symbol) for symbol in SYMBOLS]
        strategies = {
            item["strategy_id"]: top.arguments["symbol"] for top in best for item in top.right["data"]["items"]
        }
        signals = [
            await question("get_strategy_signal", strategy_id=strategy, symbol=symbol)
            for strategy, symbol in strategies.items()
        ]
        return [*best, *agreed, *signals]


def targets_ms() -> dict[str, int]:
    """The p95 that the contract promises, by tool."""
    contract = json.loads((ROOT / "contracts/tradestream/strategy.json").read_text(encoding="utf-8"))
    return {tool["name"]: tool["deadline"]["p95_ms"] for tool in contract["tools"]}


def told(record: Record) -> str:
    """The figures, a line a tool."""
    return "\n".join(
        f"{tool}: {len(seconds)} calls, p50 {record.percentile_ms(tool, 0.5):.1f} ms, "
        f"p95 {record.percentile_ms(tool, 0.95):.1f} ms, p99 {record.percentile_ms(tool, 0.99):.1f} ms"
        for tool, seconds in sorted(record.seconds.items())
    )


async def test_two_hundred_clients_lose_no_call_while_a_replica_stops(
    replicas: list[Served], tmp_path: Path, say: Say
) -> None:
    questions = await asked(replicas[0].url)
    addresses = [replica.url.removeprefix("http://") for replica in replicas]
    with proxy(fetched("haproxy"), tmp_path, free_port(), addresses) as url:
        await ready(url)
        crowding = asyncio.create_task(crowd(url, CLIENTS, SECONDS, questions))
        await asyncio.sleep(SECONDS / 2)
        replicas[1].signal(signal.SIGTERM)
        record = await crowding
        assert await replicas[1].ended() == 0
    say(told(record))
    assert record.faults == []
    assert sum(map(len, record.seconds.values())) == CLIENTS * SECONDS
    slow = {tool: record.percentile_ms(tool, 0.95) for tool in record.seconds}
    assert {tool: p95_ms for tool, p95_ms in slow.items() if p95_ms > targets_ms()[tool]} == {}
