"""Three machines with two servers each, HAProxy before them, and their backends."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import asyncpg

from sandbox.nats.feed import STREAMS
from sandbox.platform.database import DATABASE
from sandbox.tradestream.database import SCHEMA
from tests.services.haproxy import proxy
from tests.services.nats import NatsServer, jetstream
from tests.services.postgresql import PostgresqlServer
from tests.services.served import Served, free_port, serving
from tests.services.valkey import PERSISTENT, Valkey

ROOT = Path(__file__).parents[2]
SERVERS = ("platform.risk", "tradestream.decisions")
REPLICAS = 3
ALERTS = next(stream for stream in STREAMS if stream.name == "RISK_ALERTS")
_READY_S = 30.0


@dataclass(frozen=True, slots=True)
class Fault:
    """A part of the system that can be killed, and come back."""

    name: str
    kill: Callable[[], Awaitable[None]]
    start: Callable[[], Awaitable[None]]


class Machine:
    """A machine with one replica of each server, whose addresses stay."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        self._settings = settings
        self.ports = {server: free_port() for server in SERVERS}
        self._stack = AsyncExitStack()
        self._served: list[Served] = []

    async def start(self) -> None:
        """Start both servers, and wait until they listen."""
        for server, port in self.ports.items():
            options = ("--port", str(port), "--log-level", "warning")
            opening = serving(f"generated.{server}", ROOT, *options, env=self._settings)
            self._served.append(await self._stack.enter_async_context(opening))

    async def kill(self) -> None:
        """Kill both servers at once."""
        for each in self._served:
            each.signal(signal.SIGKILL)
        await asyncio.gather(*(each.ended() for each in self._served))
        self._served.clear()
        await self._stack.aclose()

    async def close(self) -> None:
        """Stop both servers."""
        await self._stack.aclose()


@dataclass(frozen=True, slots=True)
class Backends:
    """The servers' own servers, with the data of the sandbox."""

    postgresql: PostgresqlServer
    valkey: Valkey
    nats: NatsServer

    @property
    def settings(self) -> Mapping[str, str]:
        """The settings of the servers."""
        cluster = self.postgresql.cluster
        return {
            "DATABASE_URL": cluster.url("tradestream"),
            "RISK_DATABASE_URL": cluster.url("risk"),
            "REDIS_URL": self.valkey.url,
            "NATS_URL": self.nats.url,
        }

    async def prepare(self) -> None:
        """Make databases and streams."""
        async with jetstream(self.nats.url) as streams:
            await streams.add_stream(ALERTS)
        cluster = self.postgresql.cluster
        connection = await asyncpg.connect(cluster.url())
        await connection.execute("CREATE DATABASE tradestream")
        await connection.close()
        await SCHEMA.migrate(cluster.url("tradestream"))
        await DATABASE.prepare(cluster, datetime.now(UTC))

    def faults(self) -> Iterator[Fault]:
        """Yield a fault of each; what they have acknowledged outlives it."""
        for name, server in (("PostgreSQL", self.postgresql), ("Redis", self.valkey), ("NATS", self.nats)):
            yield Fault(name, _in_thread(server.kill), _in_thread(server.start))


def _in_thread(work: Callable[[], None]) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        await asyncio.to_thread(work)

    return run


@contextmanager
def backends(folder: Path) -> Iterator[Backends]:
    """Run PostgreSQL, Redis and NATS with their files in *folder*."""
    with ExitStack() as stack:
        homes = [folder / name for name in ("postgresql", "valkey", "nats")]
        for home in homes:
            home.mkdir(mode=0o700)
        yield Backends(
            stack.enter_context(PostgresqlServer(homes[0]).running()),
            stack.enter_context(Valkey(homes[1], *PERSISTENT).running()),
            stack.enter_context(NatsServer(homes[2]).running()),
        )


@dataclass(frozen=True, slots=True)
class System:
    """The running system."""

    ports: Mapping[str, int]
    """The port of each server's proxy."""
    faults: Sequence[Fault]
    """All that can be killed, in turn."""
    _backends: Backends

    async def stored(self) -> Mapping[str, Mapping[str, Sequence[str]]]:
        """Return what was written, by tool: the identities under each number."""
        return {"save_decision": await self._read_decisions(), "risk.trigger_alert": await self._read_alerts()}

    async def _read_decisions(self) -> Mapping[str, Sequence[str]]:
        connection = await asyncpg.connect(self._backends.settings["DATABASE_URL"])
        try:
            rows = await connection.fetch("SELECT reasoning, decision_id::text AS id FROM agent_decisions")
        finally:
            await connection.close()
        return _group((row["reasoning"], row["id"]) for row in rows)

    async def _read_alerts(self) -> Mapping[str, Sequence[str]]:
        async with jetstream(self._backends.nats.url) as streams:
            state = (await streams.stream_info("RISK_ALERTS")).state
            subscription = await streams.subscribe("risk.alerts", ordered_consumer=True)
            alerts = [json.loads((await subscription.next_msg(timeout=_READY_S)).data) for _ in range(state.messages)]
        return _group((each["message"], each["timestamp"]) for each in alerts)


def _group(pairs: Iterator[tuple[str, str]]) -> Mapping[str, Sequence[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for number, identity in pairs:
        found[number].append(identity)
    return found


@asynccontextmanager
async def running(haproxy: Path, folder: Path) -> AsyncIterator[System]:
    """Run the system, with its files in *folder*."""
    with backends(folder) as stores:
        await stores.prepare()
        machines = [Machine(stores.settings) for _ in range(REPLICAS)]
        async with AsyncExitStack() as stack:
            for machine in machines:
                stack.push_async_callback(machine.close)
                await machine.start()
            ports = {server: stack.enter_context(_balanced(haproxy, folder, server, machines)) for server in SERVERS}
            replicas = [Fault(f"replica {number}", each.kill, each.start) for number, each in enumerate(machines, 1)]
            await _wait_until_open(ports.values())
            yield System(ports, [*replicas, *stores.faults()], stores)


@contextmanager
def _balanced(haproxy: Path, folder: Path, server: str, machines: Sequence[Machine]) -> Iterator[int]:
    """Run a proxy before the replicas of *server*; give its port.

    A request whose connection could not be opened goes to another replica, since none has it. A request that was sent
    is never sent again. Without a replica that is ready, requests go to those that live, which say what is wrong.
    """
    home, port = folder / server, free_port()
    home.mkdir()
    addresses = [f"127.0.0.1:{machine.ports[server]}" for machine in machines]
    options = (
        "retries 2",
        "option redispatch 1",
        "option allbackups",
        "default-server pool-purge-delay 4s",
        *(f"server living{number} {address} backup no-check" for number, address in enumerate(addresses)),
    )
    with proxy(haproxy, home, port, addresses, options):
        yield port


async def _wait_until_open(ports: Iterable[int]) -> None:
    end = time.monotonic() + _READY_S
    for port in ports:
        while not await _accepts(port):
            if time.monotonic() > end:
                raise TimeoutError(f"the proxy on port {port} does not listen; its log is beside its configuration")
            await asyncio.sleep(0.05)


async def _accepts(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True
