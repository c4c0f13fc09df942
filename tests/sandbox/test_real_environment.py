"""The stores of the real environment, which `--sandbox` never uses."""

import socket
from pathlib import Path

import asyncpg
import pytest
from redis import Redis

import sandbox
from tests.contracts.reading import CONTRACTS, load, server_files
from tests.services.valkey import Valkey
from tests.toolaccord.process import call, data, started

KEYS = ("url", "endpoint", "target")
LIBPQ = {"PGHOST": "127.0.0.1", "PGPORT": "9", "PGSSLMODE": "verify-full", "PGTARGETSESSIONATTRS": "standby"}
"""Variables that PostgreSQL's clients read beside a URL."""


async def test_a_real_redis_stays_empty(tmp_path: Path) -> None:
    with Valkey(tmp_path).running() as real:
        async with started("--sandbox", module="generated.platform.storage", environ={"REDIS_URL": real.url}) as server:
            await server.shake_hands()
            await server.send(call(1, "storage.shared_state.set", corr_id="real-1", key="plan", value=1))
            assert (await server.receive())["result"]["structuredContent"]["stored"] is True
        with Redis.from_url(real.url) as client:
            assert client.dbsize() == 0


async def test_a_real_database_stays_empty(empty_postgres_url: str) -> None:
    environ = {"DATABASE_URL": empty_postgres_url} | LIBPQ
    async with started("--sandbox", module="generated.tradestream.decisions", environ=environ) as server:
        await server.shake_hands()
        await server.send(call(1, "get_recent_decisions", limit=1))
        assert len(data(await server.receive())["items"]) == 1
    connection: asyncpg.Connection = await asyncpg.connect(empty_postgres_url)
    assert await connection.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == 0
    await connection.close()


async def test_no_address_of_the_real_environment_is_connected_to() -> None:
    with socket.create_server(("127.0.0.1", 0)) as real:
        address = f"127.0.0.1:{real.getsockname()[1]}"
        urls = {"RISK_DATABASE_URL": "postgresql", "REDIS_URL": "redis", "NATS_URL": "nats"}
        environ = {name: f"{scheme}://{address}" for name, scheme in urls.items()}
        async with started("--sandbox", module="generated.platform.risk", environ=environ) as server:
            await server.shake_hands()
            for tool in load(CONTRACTS / "platform/risk.json")["tools"]:
                await server.send(call(1, tool["name"], **tool["examples"][0]["arguments"]))
                assert (await server.receive())["result"]["isError"] is False
        real.setblocking(False)
        with pytest.raises(BlockingIOError):
            real.accept()


def test_the_sandbox_has_a_stand_in_for_every_source_of_every_contract() -> None:
    for path in server_files():
        contract = load(path)
        sources = contract.get("sources", {}).values()
        named = [source[key] for source in sources for key in KEYS if key in source]
        named += [each for source in sources for each in source.get("paths", {}).values()]
        settings = [contract["settings"][each["setting"]] for each in named]
        # A store without an address is one that an operator does without.
        needed = {
            setting["env"] for setting in settings if setting.get("default") != "" or "REDIS" not in setting["env"]
        }
        assert needed <= sandbox.NAMES, path.name
