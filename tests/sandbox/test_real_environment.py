"""The stores of the real environment, which `--sandbox` never uses."""

from pathlib import Path

import asyncpg
from redis import Redis

import sandbox
from tests.contracts.reading import load, server_files
from tests.services.valkey import Valkey
from tests.toolpact.process import call, data, started

KEYS = ("url", "endpoint", "target")


async def test_a_real_redis_stays_empty(tmp_path: Path) -> None:
    with Valkey(tmp_path).running() as real:
        async with started("--sandbox", module="generated.platform.storage", environ={"REDIS_URL": real.url}) as server:
            await server.shake_hands()
            await server.send(call(1, "storage.shared_state.set", corr_id="real-1", key="plan", value=1))
            assert (await server.receive())["result"]["structuredContent"]["stored"] is True
        with Redis.from_url(real.url) as client:
            assert client.dbsize() == 0


async def test_a_real_database_stays_empty(empty_postgres_url: str) -> None:
    environ = {"DATABASE_URL": empty_postgres_url}
    async with started("--sandbox", module="generated.tradestream.decisions", environ=environ) as server:
        await server.shake_hands()
        await server.send(call(1, "get_recent_decisions", limit=1))
        assert len(data(await server.receive())["items"]) == 1
    connection: asyncpg.Connection = await asyncpg.connect(empty_postgres_url)
    assert await connection.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == 0
    await connection.close()


def test_the_sandbox_has_a_stand_in_for_every_source_of_every_contract() -> None:
    for path in server_files():
        contract = load(path)
        sources = contract.get("sources", {}).values()
        named = [source[key] for source in sources for key in KEYS if key in source]
        named += [each for source in sources for each in source.get("paths", {}).values()]
        assert {contract["settings"][each["setting"]]["env"] for each in named} <= sandbox.NAMES, path.name
