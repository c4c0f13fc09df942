"""moex-iss-mcp on a stand-in of the exchange: one clock for both, which goes on when nobody does anything else."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sandbox.iss import Exchange, ReceivedRequest
from tests.servers.seen import Seen
from tests.servers.station import NOW, Answer, Station, station
from toolpact.testing import ManualClock

ROOM = "moex.iss"
SNAPSHOT, TIMESERIES, INDEX = TOOLS = (
    "get_security_snapshot",
    "get_ohlcv_timeseries",
    "get_index_constituents_metrics",
)
ASKED: dict[str, dict[str, Any]] = {
    SNAPSHOT: {"ticker": "SBER"},
    TIMESERIES: {"ticker": "SBER", "from_date": "2026-09-01", "to_date": "2026-11-20"},
    INDEX: {"index_ticker": "IMOEX", "as_of_date": "2026-11-18"},
}
"""Arguments with which each tool has a result."""
STEP_S = 0.1
"""How far the clock goes at once."""
LULL_S = 0.005
"""Seconds of real time without an answer on its way, after which everybody waits for the clock."""
TURNS = 50
"""Turns of the event loop, more than a call takes to end whose time is over: a slow machine may need longer than LULL_S."""


@dataclass(frozen=True, slots=True)
class Market:
    """A server and its exchange."""

    station: Station
    exchange: Exchange
    clock: ManualClock

    async def ask(self, tool: str, **arguments: Any) -> Answer:
        """Call *tool* as in ASKED, with *arguments* instead where there are any."""
        (answer,) = await self.together([self.station.ask(tool, **(ASKED[tool] | arguments))])
        return answer

    async def together(self, calls: list[Coroutine[Any, Any, Answer]]) -> list[Answer]:
        """Make all *calls* at once, while the clock goes on whenever they wait for it; the answers in their order."""
        tasks = [asyncio.create_task(call) for call in calls]
        while (await asyncio.wait(tasks, timeout=LULL_S))[1]:
            if not self.exchange.active_requests:
                self.clock.advance(STEP_S)
                for _ in range(TURNS):
                    await asyncio.sleep(0)
        return [await task for task in tasks]

    def since(self, count: int) -> list[ReceivedRequest]:
        """The requests after the first *count*."""
        return self.exchange.requests[count:]


@asynccontextmanager
async def market(seen: Seen, *, standing: bool = False, **options: Any) -> AsyncIterator[Market]:
    """Give the server on a stand-in that is made with *options*; *standing* prices do not go on with the clock."""
    clock = ManualClock(NOW)
    with Exchange((lambda: NOW) if standing else clock.now, **options).running() as exchange:
        async with station(ROOM, {"iss_base_url": exchange.url}, seen, clock) as served:
            yield Market(served, exchange, clock)
