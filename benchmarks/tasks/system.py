"""Two HTTP replicas behind HAProxy, three workers, a store of tasks and a database."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import asyncpg

from benchmarks.tasks.ledger_server import PAUSE, STORE, STORE_URL
from tests.services.haproxy import proxy
from tests.services.nats import NatsServer
from tests.services.postgresql import PostgresqlServer
from tests.services.served import free_port
from tests.services.valkey import PERSISTENT, Valkey
from tests.toolaccord.demo.ledger import TABLE

ROOT = Path(__file__).parents[2]
_KEYS = ROOT / "toolaccord/sources/postgresql/sql/0001_idempotency_keys.sql"
StoreKind: TypeAlias = Literal["redis", "nats"]
_PAUSE_S = 0.4


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the system that can be killed, and come back."""

    name: str
    kill: Callable[[], Awaitable[None]]
    start: Callable[[], Awaitable[None]]


class Program:
    """A process of the ledger."""

    def __init__(self, environ: Mapping[str, str], *arguments: str) -> None:
        self._environ = environ
        self._arguments = arguments
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it; it serves a little later."""
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "benchmarks.tasks.ledger_server", *self._arguments, "--log-level", "error"),
            cwd=ROOT,
            env=self._environ,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
        )

    async def kill(self) -> None:
        """Kill it at once."""
        if self._process and self._process.returncode is None:
            self._process.send_signal(signal.SIGKILL)
            await self._process.wait()


@dataclass(frozen=True, slots=True)
class System:
    """The running system."""

    url: str
    """The URL of the proxy."""
    parts: Sequence[Part]
    """All that can be killed, in turn."""
    database: str
    """The URL of the database."""

    async def read_entries(self) -> Sequence[str]:
        """Return the text of each entry."""
        connection = await asyncpg.connect(self.database)
        try:
            return [row["text"] for row in await connection.fetch("SELECT text FROM entries")]
        finally:
            await connection.close()


@asynccontextmanager
async def running(haproxy: Path, folder: Path, kind: StoreKind) -> AsyncIterator[System]:
    """Run the system with a store of *kind*, and its files in *folder*."""
    with ExitStack() as services:
        homes = {name: folder / name for name in ("postgresql", "store", "proxy")}
        for home in homes.values():
            home.mkdir(mode=0o700)
        postgresql = services.enter_context(PostgresqlServer(homes["postgresql"]).running())
        made: Valkey | NatsServer = (
            Valkey(homes["store"], *PERSISTENT) if kind == "redis" else NatsServer(homes["store"])
        )
        services.enter_context(made.running())
        database = postgresql.cluster.url()
        await _prepare(database)
        environ = os.environ | {"DATABASE_URL": database, STORE: kind, STORE_URL: made.url, PAUSE: str(_PAUSE_S)}
        ports = [free_port() for _ in range(2)]
        replicas = [Program(environ, "--transport", "http", "--port", str(port)) for port in ports]
        workers = [Program(environ, "--work") for _ in range(3)]
        async with AsyncExitStack() as processes:
            for each in (*replicas, *workers):
                processes.push_async_callback(each.kill)
                await each.start()
            port = free_port()
            addresses = [f"127.0.0.1:{each}" for each in ports]
            services.enter_context(
                proxy(haproxy, homes["proxy"], port, addresses, ("retries 2", "option redispatch 1"))
            )
            parts = [
                *(Part(f"worker {number}", each.kill, each.start) for number, each in enumerate(workers, 1)),
                *(Part(f"replica {number}", each.kill, each.start) for number, each in enumerate(replicas, 1)),
                Part({"redis": "Redis", "nats": "NATS"}[kind], _in_thread(made.kill), _in_thread(made.start)),
            ]
            yield System(f"http://127.0.0.1:{port}", parts, database)


async def _prepare(database: str) -> None:
    connection = await asyncpg.connect(database)
    try:
        await connection.execute(TABLE)
        await connection.execute(_KEYS.read_text(encoding="utf-8"))
    finally:
        await connection.close()


def _in_thread(work: Callable[[], None]) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        await asyncio.to_thread(work)

    return run
