"""PostgreSQL source against a real server that is stopped, frozen and killed."""

import asyncio
import gc
import logging
import os
import signal
import socket
import time
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.toolaccord.process import PATIENCE_S
from toolaccord.sources import Pooled, PoolState
from toolaccord.sources.postgresql import Postgresql, PostgresqlError, PostgresqlSource
from toolaccord.sources.postgresql.pool import PostgresqlPool
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.testing.faults import Relay
from toolaccord.testing.postgresql import Cluster, running
from toolaccord.testing.postgresql.server import USER
from toolaccord.testing.socket_server import SocketServer
from toolaccord.timing.clock import Clock, SystemClock
from toolaccord.timing.deadline import DeadlineExceeded, run_within

DECLARED = PostgresqlSource(
    name="postgres",
    url="url",
    min_connections=1,
    max_connections=2,
    idle_timeout_s=300.0,
    connection_timeout_s=20.0,
)


class ControllableServer:
    """A PostgreSQL that can be stopped, started and frozen."""

    def __init__(self, home: Path) -> None:
        self.home = home

    @property
    def postmaster(self) -> int:
        return int((self.home / "data" / "postmaster.pid").read_text().split()[0])

    def stop(self) -> None:
        """Stop the server and wait for its end."""
        pid = self.postmaster
        os.kill(pid, signal.SIGINT)
        limit = time.monotonic() + PATIENCE_S
        while Path(f"/proc/{pid}").exists() and time.monotonic() < limit:
            time.sleep(0.01)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Freeze every process of the server."""
        parents = {int(path.name): _parent(path) for path in Path("/proc").iterdir() if path.name.isdigit()}
        processes = [self.postmaster, *(pid for pid, parent in parents.items() if parent == self.postmaster)]
        try:
            _send_signal(processes, signal.SIGSTOP)
            yield
        finally:
            _send_signal(processes, signal.SIGCONT)


def _send_signal(processes: list[int], number: signal.Signals) -> None:
    for pid in processes:
        with suppress(ProcessLookupError):  # a worker of the server may have ended meanwhile
            os.kill(pid, number)


def _parent(process: Path) -> int | None:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> ControllableServer:
    return ControllableServer(tmp_path_factory.mktemp("postgresql"))


@pytest.fixture(scope="module")
def cluster(server: ControllableServer) -> Iterator[Cluster]:
    with running(server.home) as cluster:
        yield cluster


def open_source(cluster: Cluster, clock: Clock | None = None, declared: PostgresqlSource = DECLARED) -> Postgresql:
    return declared.open({"url": cluster.url()}, clock or SystemClock())


@pytest.fixture
async def postgres(cluster: Cluster) -> AsyncIterator[Postgresql]:
    postgres = open_source(cluster)
    yield postgres
    await postgres.close()


async def test_rows_are_dictionaries_and_json_is_decoded(postgres: Postgresql) -> None:
    sql = "SELECT 1 AS one, $1::text AS text, '{\"a\": [1, null]}'::jsonb AS b, $2::jsonb AS given"
    assert await postgres.fetch(sql, "x", {"k": 1.5}) == [
        {"one": 1, "text": "x", "b": {"a": [1, None]}, "given": {"k": 1.5}}
    ]


async def test_fetch_one_returns_the_first_row_or_none(postgres: Postgresql) -> None:
    assert await postgres.fetch_one("SELECT 1 AS one") == {"one": 1}
    assert await postgres.fetch_one("SELECT 1 AS one WHERE false") is None


async def test_idle_and_used_connections_are_counted(postgres: Postgresql) -> None:
    assert isinstance(postgres, Pooled)
    assert postgres.pool_state() == PoolState(idle=0, in_use=0, limit=2)
    await postgres.start()
    assert postgres.pool_state() == PoolState(idle=1, in_use=0, limit=2)
    async with postgres.transaction(), postgres.transaction():
        assert postgres.pool_state() == PoolState(idle=0, in_use=2, limit=2)
    assert postgres.pool_state() == PoolState(idle=2, in_use=0, limit=2)
    await postgres.close()
    assert postgres.pool_state() == PoolState(idle=0, in_use=0, limit=2)


async def note(postgres: Postgresql, *numbers: int | None) -> None:
    """Insert *numbers* in one transaction; None makes the block raise."""
    async with postgres.transaction() as transaction:
        for number in numbers:
            if number is None:
                raise TypeError
            await transaction.fetch("INSERT INTO notes VALUES ($1)", number)


async def test_a_transaction_takes_effect_as_a_whole_or_not_at_all(postgres: Postgresql) -> None:
    await postgres.fetch("CREATE TABLE notes (id int CONSTRAINT notes_once PRIMARY KEY)")
    async with postgres.transaction() as transaction:
        await transaction.fetch("INSERT INTO notes VALUES (1)")
        assert await transaction.fetch_one("INSERT INTO notes VALUES (2) RETURNING id") == {"id": 2}
    with pytest.raises(PostgresqlError) as raised:
        await note(postgres, 3, 1)
    assert (raised.value.sqlstate, raised.value.constraint) == ("23505", "notes_once")
    with pytest.raises(TypeError):
        await note(postgres, 4, None)
    assert await postgres.fetch("SELECT id FROM notes ORDER BY id") == [{"id": 1}, {"id": 2}]


@pytest.mark.parametrize("sql", ["SELEKT", "SELECT 1/0", "SELECT * FROM nowhere", "SELECT $1::int"])
async def test_a_statement_that_fails_is_a_failure_of_the_source(postgres: Postgresql, sql: str) -> None:
    with pytest.raises(PostgresqlError):
        await postgres.fetch(sql, *(["x"] if "$1" in sql else []))
    assert await postgres.fetch_one("SELECT 1 AS one") == {"one": 1}


@pytest.mark.parametrize(
    "value",
    [
        "'NaN'::numeric",
        "'-Infinity'::numeric",
        "'NaN'::float8",
        "ARRAY[[1, 'NaN'::float8]]",
        "ARRAY['Infinity'::numeric]",
        "'infinity'::timestamptz",
        "'-infinity'::timestamp",
    ],
)
async def test_a_value_that_is_not_finite_is_a_failure_that_names_its_column(postgres: Postgresql, value: str) -> None:
    async with postgres.transaction() as transaction:
        for each in (postgres.fetch, postgres.fetch_one, transaction.fetch, transaction.fetch_one):
            with pytest.raises(PostgresqlError, match="column odd holds NaN or infinity"):
                await each(f"SELECT 1 AS one, {value} AS odd")
    assert await postgres.fetch_one(f"SELECT nullif({value}, {value}) AS odd") == {"odd": None}


@pytest.mark.parametrize(
    "value",
    [
        "'20000-01-01'::timestamptz",
        "'0044-03-15 BC'::date",
        "'24:00'::time",
        "'1e400'::jsonb",
        "'\"\\ud800\"'::json",
        "(repeat('[', 2000) || repeat(']', 2000))::json",
    ],
)
async def test_a_value_that_python_cannot_hold_is_a_failure_of_the_source(postgres: Postgresql, value: str) -> None:
    with pytest.raises(PostgresqlError, match="cannot be decoded"):
        await postgres.fetch_one(f"SELECT {value} AS odd")
    assert await postgres.fetch_one("SELECT 1 AS one") == {"one": 1}


async def test_a_server_that_is_no_postgresql_is_a_failure_of_the_source() -> None:
    async def speak_nonsense(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"Z\x00\x00\x00\x04")
        await writer.drain()

    listener = socket.create_server(("127.0.0.1", 0))
    async with aclosing(SocketServer(listener, speak_nonsense)):
        url = f"postgresql://joe@127.0.0.1:{listener.getsockname()[1]}/db?sslmode=disable"
        postgres = DECLARED.open({"url": url}, SystemClock())
        with pytest.raises(PostgresqlError):
            await postgres.fetch("SELECT 1")
        await postgres.close()


async def test_a_connection_lost_just_before_a_transaction_is_a_failure_of_the_source(
    postgres: Postgresql, monkeypatch: pytest.MonkeyPatch
) -> None:
    acquire = asyncpg.Pool.acquire

    async def acquire_and_lose(pool: Any) -> Any:
        connection = await acquire(pool)
        connection.terminate()
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(asyncpg.Pool, "acquire", acquire_and_lose)
        with pytest.raises(PostgresqlError):
            async with postgres.transaction():
                pytest.fail("there is no connection")
    assert await postgres.fetch_one("SELECT 1 AS one") == {"one": 1}


@pytest.fixture
async def guarded(server: ControllableServer, postgres: Postgresql) -> AsyncIterator[None]:
    """Have the server require a password of the user `guest`."""
    rules = server.home / "data" / "pg_hba.conf"
    before = rules.read_text()
    await postgres.fetch("CREATE ROLE guest LOGIN PASSWORD 'right'")
    rules.write_text(f"local all guest scram-sha-256\n{before}")
    await postgres.fetch("SELECT pg_reload_conf()")
    yield
    rules.write_text(before)
    await postgres.fetch("SELECT pg_reload_conf()")
    await postgres.fetch("DROP ROLE guest")


@pytest.mark.usefixtures("guarded")
async def test_a_wrong_password_is_a_failure_of_the_source_and_the_right_one_works(cluster: Cluster) -> None:
    def of_guest(password: str) -> Postgresql:
        url = cluster.url().replace(f"//{USER}@", f"//guest:{password}@").replace(f"user={USER}", "user=guest")
        return DECLARED.open({"url": url}, SystemClock())

    async def ask_until_refused() -> None:
        for _ in range(100):  # until the server has read its rules anew
            wrong = of_guest("wr0ng")
            try:
                await wrong.fetch("SELECT 1")
            finally:
                await wrong.close()
            await asyncio.sleep(0.05)

    with pytest.raises(PostgresqlError) as raised:
        await ask_until_refused()
    assert raised.value.sqlstate == "28P01"
    assert "wr0ng" not in str(raised.value)
    right = of_guest("right")
    assert await right.fetch_one("SELECT current_user::text AS who") == {"who": "guest"}
    await right.close()


async def test_an_exhausted_pool_is_a_failure_after_the_connection_timeout(cluster: Cluster) -> None:
    clock = ManualClock()
    postgres = open_source(cluster, clock)
    async with postgres.transaction(), postgres.transaction():
        call = asyncio.create_task(postgres.fetch("SELECT 1"))
        await asyncio.sleep(0.05)
        clock.advance(19.999)
        await asyncio.sleep(0)
        assert not call.done()
        clock.advance(0.001)
        with pytest.raises(PostgresqlError, match="no connection"):
            await call
    assert await postgres.fetch_one("SELECT 1 AS one") == {"one": 1}
    await postgres.close()


async def test_more_callers_than_connections_are_all_served(postgres: Postgresql) -> None:
    rows = await asyncio.gather(*(postgres.fetch_one("SELECT $1::int AS n", number) for number in range(200)))
    assert [row and row["n"] for row in rows] == list(range(200))


async def test_a_connection_killed_in_the_middle_of_a_statement_is_a_failure_and_the_next_one_works(
    postgres: Postgresql,
) -> None:
    sleeping = asyncio.create_task(postgres.fetch("SELECT pg_sleep(60)"))
    killed: list[dict[str, object]] = []
    while not killed:
        killed = await postgres.fetch(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'"
        )
    with pytest.raises(PostgresqlError):
        await sleeping
    assert await postgres.fetch_one("SELECT 1 AS one") == {"one": 1}


async def test_a_cancelled_statement_is_stopped_on_the_server_too(postgres: Postgresql) -> None:
    sleeping = asyncio.create_task(postgres.fetch("SELECT pg_sleep(61)"))
    running_now = "SELECT count(*) AS n FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(61)' AND state = 'active'"
    while await postgres.fetch_one(running_now) != {"n": 1}:
        pass
    sleeping.cancel()
    await asyncio.wait({sleeping})
    assert sleeping.cancelled()
    while await postgres.fetch_one(running_now) != {"n": 0}:
        pass


async def test_a_caller_cancelled_at_any_moment_releases_its_connection(postgres: Postgresql) -> None:
    for warm in (False, True):
        if warm:
            await postgres.start()
        for ticks in range(16):
            call = asyncio.create_task(postgres.fetch_one("SELECT 1 AS one"))
            for _ in range(ticks):
                await asyncio.sleep(0)
            call.cancel()
            await asyncio.wait({call})
        async with postgres.transaction() as one, postgres.transaction() as other:
            assert [await each.fetch_one("SELECT 1 AS one") for each in (one, other)] == [{"one": 1}] * 2


async def test_a_caller_cancelled_while_its_connection_is_reset_leaves_no_error_behind(
    server: ControllableServer,
) -> None:
    with running(server.home) as cluster, capture_logs() as records:
        async with Relay(cluster.url()).running() as relay:
            postgres = replace(DECLARED, connection_timeout_s=2).open({"url": relay.url}, SystemClock())
            assert isinstance(postgres, PostgresqlPool)
            await postgres.start()
            frozen = asyncio.Event()

            async def use() -> None:
                async with postgres.session() as session:
                    await session.fetch("SELECT 1")
                    relay.freeze()
                    frozen.set()

            using = asyncio.create_task(use())
            await frozen.wait()
            await asyncio.sleep(0)  # the reset begins
            using.cancel()
            await asyncio.wait({using})
            assert using.cancelled()
            async with asyncio.timeout(PATIENCE_S):
                while postgres.pool_state().in_use:  # noqa: ASYNC110 - asyncpg tells nobody
                    await asyncio.sleep(0)
            gc.collect()
            await postgres.close()
    assert [record.getMessage() for record in records if record.levelno > logging.INFO] == []


@pytest.mark.parametrize("in_transaction", [False, True])
async def test_a_stalled_connection_is_replaced(server: ControllableServer, *, in_transaction: bool) -> None:
    declared = replace(DECLARED, max_connections=1)

    async def run_statement(postgres: Postgresql, stall: Callable[[], None]) -> None:
        if in_transaction:
            async with postgres.transaction() as transaction:
                stall()
                await transaction.fetch("SELECT 1")
        else:
            stall()
            await postgres.fetch("SELECT 1")

    with running(server.home) as cluster:
        async with Relay(cluster.url()).running() as relay:
            postgres = declared.open({"url": relay.url}, SystemClock())
            await postgres.start()
            with pytest.raises(DeadlineExceeded):
                await run_within(SystemClock(), 0.2, run_statement(postgres, relay.freeze))
            relay.thaw()
            assert await postgres.fetch_one("SELECT 1 AS one") == {"one": 1}
            assert relay.connections == 2
            await postgres.close()


async def test_a_stopped_server_is_a_failure_at_once_and_the_next_call_works_after_its_restart(
    server: ControllableServer, cluster: Cluster
) -> None:
    patient = replace(DECLARED, connection_timeout_s=3600)
    postgres, cold = open_source(cluster, declared=patient), open_source(cluster, declared=patient)
    assert await postgres.fetch_one("SELECT 1 AS one") == {"one": 1}
    await asyncio.to_thread(server.stop)
    with capture_logs() as records:
        async with asyncio.timeout(PATIENCE_S):
            for each in (postgres, cold) * 3:
                with pytest.raises(PostgresqlError):
                    await each.fetch("SELECT 1")
                with pytest.raises(PostgresqlError):
                    await each.check()
    assert all(record.exc_info is None for record in records)
    with running(server.home):
        for each in (postgres, cold):
            await each.check()
            assert await each.fetch_one("SELECT 1 AS one") == {"one": 1}
            await each.close()


async def test_a_frozen_server_is_a_failure_after_the_connection_timeout(
    server: ControllableServer, cluster: Cluster
) -> None:
    postgres = open_source(cluster, declared=replace(DECLARED, connection_timeout_s=2))
    with running(server.home):
        with server.frozen(), pytest.raises(PostgresqlError):
            await postgres.fetch("SELECT 1")
        assert await postgres.fetch_one("SELECT 1 AS one") == {"one": 1}
        await postgres.close()


async def test_a_server_that_freezes_during_a_statement_does_not_hold_its_caller_past_the_deadline(
    server: ControllableServer, cluster: Cluster
) -> None:
    with running(server.home):
        postgres = open_source(cluster)
        await postgres.start()
        with server.frozen(), pytest.raises(DeadlineExceeded):
            async with asyncio.timeout(PATIENCE_S):
                await run_within(SystemClock(), 0.3, postgres.fetch("SELECT 1"))
        assert await postgres.fetch_one("SELECT 1 AS one") == {"one": 1}
        await postgres.close()


async def test_closing_takes_bounded_time_even_while_a_statement_runs(
    server: ControllableServer, cluster: Cluster
) -> None:
    with running(server.home):
        postgres = open_source(cluster)
        await postgres.start()
        sleeping = asyncio.create_task(postgres.fetch("SELECT pg_sleep(3600)"))
        await asyncio.sleep(0.05)
        with server.frozen():
            async with asyncio.timeout(PATIENCE_S):
                await postgres.close()
        with pytest.raises(PostgresqlError):
            await sleeping


async def test_a_source_that_never_connected_can_be_closed(cluster: Cluster) -> None:
    source = open_source(cluster)
    await source.close()
    assert isinstance(source, Pooled)
    state = source.pool_state()
    assert (state.idle, state.in_use) == (0, 0)


@pytest.mark.parametrize(
    "address", ["host:notaport", "127.0.0.1:99999", "[::1", f"{'a' * 64}.example", "127.0.0.1:70000"]
)
@pytest.mark.parametrize("min_connections", [0, 1])
async def test_an_invalid_address_is_a_failure_of_the_source(address: str, min_connections: int) -> None:
    declared = replace(DECLARED, min_connections=min_connections)
    postgres = declared.open({"url": f"postgresql://joe:hunter2@{address}/db"}, SystemClock())
    for _ in range(2):
        with pytest.raises(PostgresqlError) as raised:
            await postgres.fetch("SELECT 1")
        assert "hunter2" not in "".join(traceback.format_exception(raised.value))
    await postgres.close()
