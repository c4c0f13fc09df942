"""Prove that each server works under its database role, which can do nothing else."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import asyncpg
import pytest

from sandbox import backtester
from sandbox.platform import database as limits
from sandbox.platform.database import SCHEMA
from tests.conftest import NewDatabase
from tests.contracts.reading import contracts
from tests.contracts.reading import tool as find_tool
from tests.contracts.shipped import generated_paths
from tests.handlers.tradestream.service import MINUTE, rows
from tests.servers.answers.test_backtest_answers import SERVER as BACKTEST_SERVER
from tests.servers.answers.test_backtest_answers import TOOLS as BACKTEST_TOOLS
from tests.servers.answers.test_backtest_answers import call_tool as call_backtest
from tests.servers.backends import (
    LIMITS,
    STORE_SERVERS,
    STRATEGY_SERVER,
    SYMBOL,
    WRITING_TOOLS,
    bind_strategy,
    connect_database,
    open_store_server,
    run_in_thread,
)
from tests.servers.contracts import Observations
from tests.servers.harness import NOW, open_server
from tests.services.candles import serve_candles
from toolaccord.sources.postgresql.roles import grant_roles, password_env, read_roles
from toolaccord.testing import ManualClock
from toolaccord_codegen.__main__ import main

ROLES = {
    "backtest_mcp": "tradestream.backtest",
    "decisions_mcp": "tradestream.decisions",
    "portfolio_mcp": "tradestream.portfolio",
    "risk_mcp": "platform.risk",
    "strategy_db_mcp": "tradestream.strategy_db",
    "strategy_mcp": "tradestream.strategy",
}
SQL = read_roles(generated_paths("postgres_role.sql"))
PASSWORD = "of'a\"role\\"
PRIVILEGES = """
SELECT relname, array_agg(privilege) FROM pg_class,
    unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS privilege
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'm', 'p')
    AND has_table_privilege($1, pg_class.oid, privilege) GROUP BY 1
"""
ATTRIBUTES = """
SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls OR rolinherit AND EXISTS (
    SELECT FROM pg_auth_members WHERE member = pg_roles.oid) FROM pg_roles WHERE rolname = $1
"""
FORBIDDEN = (
    "CREATE TABLE mine (id int)",
    "CREATE TEMPORARY TABLE mine (id int)",
    "CREATE SCHEMA mine",
    "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE ROLE mine",
    "DROP TABLE {table}",
    "ALTER TABLE {table} ADD COLUMN mine int",
    "CREATE INDEX mine ON {table} ((1))",
    "TRUNCATE {table}",
    "SELECT * FROM toolaccord_migrations",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "SELECT pg_read_file('PG_VERSION')",
)


@pytest.fixture(scope="module")
def granted(market: str) -> str:
    """The URL of the sample data of all systems, in which every role has its rights."""
    run_in_thread(SCHEMA.migrate(market))
    run_in_thread(limits.load(market, NOW))
    run_in_thread(grant_roles(market, SQL, dict.fromkeys(SQL, PASSWORD)))
    return market


def test_the_command_grants_the_roles_of_a_system_and_names_missing_passwords(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], market: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", market)
    roles = [role for role, module in ROLES.items() if module.startswith("tradestream.")]
    for role in roles:
        monkeypatch.setenv(password_env(role), PASSWORD)
    command = ["migrate", "tradestream", "--roles"]
    assert main(command) == 0
    assert capsys.readouterr().out.endswith("".join(f"granted {role}\n" for role in roles))
    monkeypatch.delenv("STRATEGY_MCP_PASSWORD")
    assert main(command) == 2
    assert "STRATEGY_MCP_PASSWORD is missing: the password of the role strategy_mcp" in capsys.readouterr().err


def log_in(url: str, role: str) -> str:
    """Return *url* for the sessions of *role*."""
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{role}:of%27a%22role%5C@{place}").geturl()


def declared_privileges(module: str) -> dict[str, set[str]]:
    """Return the declared privileges, and those for idempotency keys, by table."""
    found: dict[str, set[str]] = {}
    for tool in contracts()[module]["tools"]:
        for table, privileges in tool["effects"].get("privileges", {"postgres": {}})["postgres"].items():
            found.setdefault(table, set()).update(privileges)
        if "idempotency" in tool and "store" not in tool["idempotency"]:
            found["idempotency_keys"] = {"SELECT", "INSERT", "UPDATE", "DELETE"}
    return found


def test_every_server_on_postgresql_has_a_role() -> None:
    on_postgresql = {name for name, contract in contracts().items() if "postgres" in contract.get("sources", {})}
    assert set(ROLES) == set(SQL)
    assert set(ROLES.values()) == on_postgresql


@pytest.mark.parametrize("role", ROLES)
async def test_a_role_has_exactly_the_privileges_of_its_contract(granted: str, role: str) -> None:
    async with connect_database(granted) as owner:
        found = {table: set(privileges) for table, privileges in await owner.fetch(PRIVILEGES, role)}
        assert found == declared_privileges(ROLES[role])
        assert await owner.fetchval(ATTRIBUTES, role) is False


@pytest.mark.parametrize("statement", FORBIDDEN)
@pytest.mark.parametrize("role", ROLES)
async def test_a_role_can_neither_define_nor_read_anything_else(granted: str, role: str, statement: str) -> None:
    async with connect_database(log_in(granted, role)) as session:
        assert await session.fetchval("SELECT session_user::text") == role
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await session.execute(statement.format(table=min(declared_privileges(ROLES[role]))))


async def test_a_role_is_not_granted_by_somebody_who_cannot_take_its_rights(new_database: NewDatabase) -> None:
    with new_database() as url:
        async with connect_database(url) as session:
            undone = session.transaction()
            await undone.start()
            await session.execute("CREATE ROLE deployer CREATEROLE; ALTER SCHEMA public OWNER TO deployer")
            await session.execute("SET LOCAL ROLE deployer")
            with pytest.raises(asyncpg.RaiseError, match="run this as the owner of the database"):
                await session.execute(SQL["strategy_mcp"])
            await undone.rollback()


@pytest.mark.parametrize("role", ROLES)
async def test_a_role_cannot_change_a_table_that_its_server_only_reads(granted: str, role: str) -> None:
    tables = {name for name, privileges in declared_privileges(ROLES[role]).items() if "DELETE" not in privileges}
    assert tables
    async with connect_database(log_in(granted, role)) as session:
        for table in tables:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await session.execute(f"DELETE FROM {table}")


async def test_strategy_mcp_works_under_its_role(granted: str, strategy_id: str, observations: Observations) -> None:
    settings = {"database_url": log_in(granted, "strategy_mcp")}
    async with open_server(STRATEGY_SERVER, settings, observations, ManualClock(NOW)) as server:
        call = bind_strategy(server, strategy_id)
        for tool in contracts()[STRATEGY_SERVER]["tools"]:
            assert (await call(tool["name"])).code is None


@pytest.mark.parametrize("name", STORE_SERVERS)
async def test_a_store_server_works_under_its_role(granted: str, name: str, observations: Observations) -> None:
    role = next(role for role, module in ROLES.items() if module == STORE_SERVERS[name])
    async with open_store_server(name, log_in(granted, role), observations, ManualClock(NOW)) as store:
        assert (await store.call(name)).code is None
        if name in WRITING_TOOLS:
            arguments = store.valid_arguments(name)
            first = await store.call(name, "key", **arguments)
            assert first.code is None
            assert (await store.call(name, "key", **arguments)).body["data"] == first.body["data"]


async def test_risk_mcp_works_under_its_role(granted: str, observations: Observations) -> None:
    settings = {"risk_database_url": log_in(granted, "risk_mcp"), "redis_url": "redis://127.0.0.1:9/0"}
    async with open_server("platform.risk", settings, observations, ManualClock(NOW)) as server:
        assert (
            await server.call(LIMITS, **find_tool("platform.risk", LIMITS)["examples"][0]["arguments"])
        ).code is None


@pytest.fixture(scope="module")
def candles() -> Iterator[str]:
    with serve_candles(rows(SYMBOL, NOW - 16 * 1440 * MINUTE, 16 * 1440)) as url:
        yield url


async def test_backtest_mcp_works_under_its_role(granted: str, candles: str, observations: Observations) -> None:
    with backtester.serve() as target:
        settings = {
            "database_url": log_in(granted, "backtest_mcp"),
            "influxdb_url": candles,
            "backtester_target": target,
        }
        async with open_server(BACKTEST_SERVER, settings, observations, ManualClock(NOW)) as server:
            for name in BACKTEST_TOOLS:
                assert (await call_backtest(server, name)).code is None
