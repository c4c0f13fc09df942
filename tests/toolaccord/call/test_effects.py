"""Handlers that use more than they declare, on a real PostgreSQL, NATS and Valkey."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest

from tests.services import nats
from tests.services.valkey import Valkey
from tests.toolaccord.demo import ledger
from tests.toolaccord.demo.ledger import Clerk
from toolaccord.call.effects import grant_sources
from toolaccord.call.pipeline import Pipeline
from toolaccord.contract.policies import CachePolicy
from toolaccord.declarations.tool import Server
from toolaccord.errors import SourceError, UndeclaredEffect
from toolaccord.json_values import JsonObject
from toolaccord.sources import Source, SourceDeclaration
from toolaccord.sources.nats import Nats, NatsSource
from toolaccord.sources.postgresql import Postgresql, PostgresqlError
from toolaccord.sources.redis import Redis, RedisSource, Script
from toolaccord.sources.zmq import ZmqPub, ZmqPubSource
from toolaccord.testing import capture_logs, pipeline
from toolaccord.timing.clock import SystemClock

CHANGES = (
    "INSERT INTO entries (text, amount) VALUES ('x', 1)",
    "UPDATE entries SET amount = 0",
    "DELETE FROM entries WHERE false",
    "MERGE INTO entries USING (SELECT 1) AS one ON false WHEN NOT MATCHED THEN INSERT (text, amount) VALUES ('x', 1)",
    "WITH gone AS (DELETE FROM entries RETURNING *) SELECT count(*) FROM gone",
    "SELECT * FROM entries FOR UPDATE",
    "SELECT nextval('entries_number_seq')",
    "SELECT setval('entries_number_seq', 1)",
    "SELECT add_entry()",
    "TRUNCATE entries",
    "DROP TABLE entries",
    "CREATE TABLE more (id int)",
)
"""Statements that change something, also hidden in a query or in a function."""
ADD_ENTRY = """
CREATE OR REPLACE FUNCTION add_entry() RETURNS void LANGUAGE sql AS $$
    INSERT INTO entries (text, amount) VALUES ('hidden', 1)
$$
"""
Use = Callable[[Any], Awaitable[object]]


@pytest.fixture
async def postgres(postgres_url: str) -> AsyncIterator[Postgresql]:
    (declared,) = ledger.server(Clerk()).sources
    source = cast("Postgresql", declared.open({"database_url": postgres_url}, SystemClock()))
    await source.fetch(ledger.TABLE)
    await source.fetch(ADD_ENTRY)
    await source.fetch("TRUNCATE entries RESTART IDENTITY")
    await source.fetch("INSERT INTO entries (text, amount) VALUES ('rent', 1)")
    yield source
    await source.close()


def counting(use: Use, **effects: Any) -> Server[Any]:
    """Return the ledger with other *effects*, whose count makes *use* of its call."""

    class Counter(Clerk):
        async def count_entries(self, request: Any, call: Any, /) -> Any:
            await use(call)
            return await super().count_entries(request, call)

    declared = ledger.server(Counter())
    return replace(declared, tools=tuple(replace(tool, **{"cache": None, **effects}) for tool in declared.tools))


async def count(server: Server[Any], postgres: Postgresql) -> tuple[JsonObject, list[str]]:
    """Return the answer of the tool that counts, and the errors in the log."""
    with capture_logs() as records:
        answer = await serving(server, postgres).call("count_entries", {})
    return answer.body, [record.getMessage() for record in records if record.levelname == "ERROR"]


def serving(server: Server[Any], postgres: Postgresql) -> Pipeline:
    return pipeline(server, sources={"postgres": postgres}, clock=SystemClock())


async def test_a_tool_whose_results_all_callers_share_cannot_tell_them_apart(postgres: Postgresql) -> None:
    async def read(call: Any) -> None:
        assert call.caller.subject

    body, errors = await count(counting(read, cache=CachePolicy(ttl_s=30)), postgres)
    assert body["error"]["code"] == "INTERNAL_ERROR"
    assert errors == [
        (
            "count_entries uses its caller, and its results are cached for all callers; "
            'remove "cache" from the tool in the contract, or let the handler answer all alike'
        )
    ]


@pytest.mark.parametrize("in_transaction", [False, True])
async def test_a_tool_that_reads_changes_nothing_whatever_its_handler_sends(
    postgres: Postgresql, *, in_transaction: bool
) -> None:
    for statement in CHANGES:

        async def change(call: Any, statement: str = statement) -> None:
            if not in_transaction:
                await call.postgres.fetch(statement)
                return
            async with call.postgres.transaction() as statements:
                await statements.fetch_one("SELECT 1 AS one")
                await statements.fetch_one(statement)

        body, errors = await count(counting(change), postgres)
        assert body["error"]["code"] == "INTERNAL_ERROR", statement
        assert errors == [
            (
                'count_entries changes "postgres", of which it declares reads alone; '
                'add "postgres" to "writes" or "adds" of its effects in the contract'
            )
        ]
    assert await postgres.fetch("SELECT text, amount FROM entries") == [{"text": "rent", "amount": 1}]


async def test_a_write_and_a_read_over_one_connection_keep_their_own_rights(postgres: Postgresql) -> None:
    async def do_nothing(_call: Any) -> None:
        """Leave the database alone."""

    server = serving(counting(do_nothing), postgres)
    for expected in (2, 3, 4):
        entered = await server.call("enter", {"text": "food"})
        counted = await server.call("count_entries", {})
        assert "error" not in entered.body
        assert counted.body["data"] == {"count": expected}


async def test_an_error_of_a_statement_stays_one_of_the_database(postgres: Postgresql) -> None:
    async def divide(call: Any) -> None:
        with pytest.raises(PostgresqlError, match="division by zero"):
            await call.postgres.fetch_one("SELECT 1 / 0")

    body, errors = await count(counting(divide), postgres)
    assert body["data"] == {"count": 1}
    assert errors == []


async def test_a_source_that_a_tool_does_not_declare_is_out_of_reach(postgres: Postgresql) -> None:
    async def do_nothing(_call: Any) -> None:
        """Leave it to the handler."""

    body, errors = await count(counting(do_nothing, reads=(), writes=()), postgres)
    assert body["error"]["code"] == "INTERNAL_ERROR"
    assert errors == [
        (
            'count_entries uses "postgres", which it does not declare; '
            'add "postgres" to "reads", "writes" or "adds" of its effects in the contract'
        )
    ]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Addresses of a NATS, a Valkey and a socket, by the name of the setting."""
    with (
        nats.running(tmp_path_factory.mktemp("nats")) as server,
        Valkey(tmp_path_factory.mktemp("valkey")).running() as valkey,
    ):
        yield {"stream": server.url, "state": valkey.url, "bus": "tcp://127.0.0.1:1"}


STREAM = NatsSource(
    name="stream", url="stream", connection_timeout_s=5, timeout_s=5, max_outstanding=10, max_pending_bytes=65536
)
STATE = RedisSource(name="state", url="state", max_connections=2, connection_timeout_s=5, timeout_s=5)
BUS = ZmqPubSource(name="bus", endpoint="bus", timeout_s=5, max_pending=10)


async def opened(declared: SourceDeclaration, stores: dict[str, str]) -> tuple[Source, Any]:
    """Return a source, and the same one as an operation that only reads it gets it."""
    source = declared.open(stores, SystemClock())
    tool = replace(ledger.server(Clerk()).tools[2], reads=(declared.name,))
    return source, grant_sources(tool, {declared.name: source})[declared.name]


async def test_redis_runs_no_command_that_changes_values_for_a_reader(stores: dict[str, str]) -> None:
    whole, reading = cast("tuple[Redis, Redis]", await opened(STATE, stores))
    await whole.set("key", "value")
    for change in (
        lambda: reading.set("key", "other"),
        lambda: reading.delete("key"),
        lambda: reading.publish("channel", "text"),
        lambda: reading.run_script(Script("return redis.call('DEL', KEYS[1])"), ["key"], []),
    ):
        with pytest.raises(UndeclaredEffect, match='changes "state"'):
            await change()
    assert await reading.get("key") == b"value"
    assert (
        await reading.run_script(Script("return redis.call('GET', KEYS[1])", only_reads=True), ["key"], []) == b"value"
    )
    await whole.close()


async def test_nats_publishes_nothing_for_a_reader(stores: dict[str, str]) -> None:
    whole, reading = cast("tuple[Nats, Nats]", await opened(STREAM, stores))
    for change in (lambda: reading.publish("a.b", b""), lambda: reading.publish_once("a.b", b"", message_id="1")):
        with pytest.raises(UndeclaredEffect, match='changes "stream"'):
            await change()
    with pytest.raises(SourceError):  # no stream has the subject
        await reading.last_messages("a.b", timedelta(minutes=1), limit=1)
    await whole.close()


async def test_zeromq_publishes_nothing_for_a_reader(stores: dict[str, str]) -> None:
    whole, reading = cast("tuple[ZmqPub, ZmqPub]", await opened(BUS, stores))
    with pytest.raises(UndeclaredEffect, match='changes "bus"'):
        await reading.publish(b"text")
    assert not reading.has_sent("1")
    await whole.close()
