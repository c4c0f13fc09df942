"""Run the trading platform on a real Redis and a real NATS whose faults tests choose."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeAlias

from nats.js.api import StorageType

from handlers.platform.ticks import to_subject
from sandbox.market import Market
from sandbox.nats.feed import STREAMS, make_tick
from tests.contracts.reading import contracts, tool
from tests.servers.backends import ALERT, GET_STATE, LIMITS, QUOTE, SET_STATE, SYMBOL, TICKS, WINDOW, run_in_thread
from tests.servers.contracts import Observations
from tests.servers.harness import NOW, Answer, ServerUnderTest, open_server
from tests.services import nats
from tests.services.candles import generate_candles, serve_candles
from tests.services.nats import NatsServer
from tests.services.valkey import Valkey
from toolaccord.testing import ManualClock
from toolaccord.testing.faults import Relay

SERVERS = {
    each["name"]: server
    for server, contract in contracts().items()
    if contract["dialect"] == "platform"
    for each in contract["tools"]
}
"""The server of each tool of the platform."""
_TICK_S = 0.001
_TICK_REAL_S = 0.01
"""Real seconds in which the clock of the servers advances by a tick.

Redis's timeouts are in real time. A clock at a tenth of the speed keeps a slow machine within the deadlines.
"""
_MINUTE = int(NOW.timestamp()) // 60

Environment: TypeAlias = dict[str, str]


@dataclass(frozen=True, slots=True)
class Stores:
    """The stores that the platform's servers share, and the candles."""

    valkey: Valkey
    nats: NatsServer
    candles: str
    """The URL of the candles' store."""
    limits: str
    """The URL of the database of limits."""

    @property
    def environment(self) -> Environment:
        """The settings of all servers."""
        databases = {"INFLUXDB_URL": self.candles, "RISK_DATABASE_URL": self.limits}
        return {"REDIS_URL": self.valkey.url, "NATS_URL": self.nats.url, **databases}


@contextmanager
def open_stores(folder: Path, limits: str) -> Iterator[Stores]:
    """Start the stores; the candles end at NOW. *limits* is the URL of the database of limits."""
    hours = generate_candles(Market(1), SYMBOL, _MINUTE - 600, _MINUTE)
    with Valkey(folder).running() as valkey, nats.running(folder) as server, serve_candles(hours) as candles:
        run_in_thread(fill_streams(server.url))
        yield Stores(valkey, server, candles, limits)


async def fill_streams(url: str) -> None:
    """Make the sandbox's streams, on disk, with the ticks of the minute before NOW."""
    async with nats.jetstream(url) as streams:
        for stream in STREAMS:
            await streams.add_stream(stream.evolve(storage=StorageType.FILE))
        for second in range(int(NOW.timestamp()) - 60, int(NOW.timestamp())):
            await streams.publish(to_subject(SYMBOL), make_tick(SYMBOL, second))


def make_arguments(name: str, number: int) -> dict[str, Any]:
    """Return valid arguments of a tool, others for each *number*.

    Those of an alert are always new.
    """
    hour = {"start": (NOW - timedelta(hours=2, minutes=number)).isoformat(), "end": NOW.isoformat()}
    made: dict[str, dict[str, Any]] = {
        LIMITS: {"portfolio_id": "port_123", "symbol": "EURUSD", "quantity": number, "direction": "long"},
        QUOTE: {"instrument": SYMBOL, "side": "buy", "qty": 1 + number, "timestamp": NOW.isoformat()},
        GET_STATE: {"corr_id": "task", "key": str(number)},
        SET_STATE: {"corr_id": "task", "key": str(number), "value": {"number": number}},
        ALERT: {"violation_type": "exposure_limit", "severity": "warning", "message": secrets.token_hex(8)},
        TICKS: {"symbol": SYMBOL, "limit": number},
        WINDOW: {"symbol": SYMBOL, **hour, "interval": "5m", "features": ["sma"]},
    }
    return made[name]


@dataclass(slots=True)
class PlatformTool:
    """A tool of a running server, and the relays in front of its stores."""

    name: str
    server: ServerUnderTest
    clock: ManualClock
    relays: dict[str, Relay]
    """The relays in front of `redis` and `nats`."""
    _calls: int = 0

    async def call(self) -> Answer:
        """Call the tool with new arguments, and check that it answers within its deadline."""
        self._calls += 1
        start = self.clock.monotonic()
        task = asyncio.create_task(self.server.call(self.name, **make_arguments(self.name, self._calls)))
        while not (await asyncio.wait([task], timeout=_TICK_REAL_S))[0]:
            self.clock.advance(_TICK_S)
        deadline_s = tool(SERVERS[self.name], self.name)["deadline"]["timeout_ms"] / 1000
        assert self.clock.monotonic() - start <= deadline_s + _TICK_S
        return await task


@asynccontextmanager
async def open_tool(name: str, stores: Stores, observations: Observations) -> AsyncIterator[PlatformTool]:
    """Give a tool whose connections to Redis and NATS pass through relays."""
    environment, clock = stores.environment, ManualClock(NOW)
    contract = contracts()[SERVERS[name]]
    async with AsyncExitStack() as stack:
        relays = {}
        for kind, variable in (("redis", "REDIS_URL"), ("nats", "NATS_URL")):
            relays[kind] = relay = await stack.enter_async_context(Relay(environment[variable]).running())
            environment[variable] = relay.url
        settings = {
            key: environment[setting["env"]]
            for key, setting in contract["settings"].items()
            if setting["env"] in environment
        }
        opening = open_server(SERVERS[name], settings, observations, clock, True)
        server = await stack.enter_async_context(opening)
        yield PlatformTool(name, server, clock, relays)
