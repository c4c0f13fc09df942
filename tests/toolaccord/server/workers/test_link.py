import asyncio
import socket
from typing import Any, cast

import pytest

from tests.toolaccord.process import PATIENCE_S
from toolaccord.config.process_settings import StopTimeouts
from toolaccord.server.workers import link as module
from toolaccord.server.workers.balance import Balance
from toolaccord.server.workers.channel import Channel
from toolaccord.server.workers.link import Link
from toolaccord.server.workers.orders import Order
from toolaccord.telemetry.metrics import Metrics
from toolaccord.transports.http.errors import Rejection


class Stop:
    """A stop that was requested, or not."""

    def __init__(self) -> None:
        self.timeouts = StopTimeouts(drain_s=0, grace_s=3)
        self.requested = asyncio.Event()
        self.forced = asyncio.Event()

    def request(self, timeouts: StopTimeouts | None = None) -> None:
        self.timeouts = timeouts or self.timeouts
        self.requested.set()

    def force(self) -> None:
        self.forced.set()


class Linked:
    """A worker's link, and the end of the supervisor."""

    def __init__(self, stop: Stop) -> None:
        self.stop = stop
        self.told: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        ours, theirs = socket.socketpair()
        self.balance = Balance.create(4)
        order = Order(channel=theirs.detach(), sockets=[], balance=self.balance.descriptor, places=4, place=1)
        self.link = Link(order)
        self.supervisor = Channel(ours, self._take)

    async def _take(self, topic: str, content: Any) -> None:
        await self.told.put((topic, content))

    async def run(self, work: Any) -> None:
        metrics = cast("Metrics", type("NoMetrics", (), {"registry": type("", (), {"collect": lambda _self: []})()}))
        await self.supervisor.open()
        following = asyncio.create_task(self.supervisor.run())
        async with self.link.open(cast("Any", self.stop), cast("Any", None), metrics):
            async with asyncio.timeout(PATIENCE_S):
                await work(self)
        await following


def linked() -> Linked:
    return Linked(Stop())


async def test_a_worker_whose_supervisor_is_gone_stops() -> None:
    async def work(pair: Linked) -> None:
        assert pair.supervisor._writer
        pair.supervisor._writer.close()
        await pair.stop.requested.wait()

    await linked().run(work)


async def test_an_answer_to_the_supervisor_is_a_sign_of_life_for_other_workers() -> None:
    async def work(pair: Linked) -> None:
        signs = pair.balance.signs(1)
        assert await pair.supervisor.ask("ping", PATIENCE_S)
        assert pair.balance.signs(1) == signs + 1
        assert pair.supervisor._writer
        pair.supervisor._writer.close()

    await linked().run(work)


async def test_a_retired_worker_leaves_new_connections_to_others_and_has_time_for_its_own() -> None:
    async def work(pair: Linked) -> None:
        assert not pair.link.handover.is_replaced()
        pair.supervisor.tell("retire")
        await pair.stop.requested.wait()
        assert pair.link.handover.is_replaced()
        assert pair.stop.timeouts == StopTimeouts(drain_s=12, grace_s=3)

    await linked().run(work)


async def test_a_stop_of_all_workers_leaves_connections_to_none() -> None:
    async def work(pair: Linked) -> None:
        pair.supervisor.tell("stop")
        await pair.stop.requested.wait()
        assert not pair.link.handover.is_replaced()
        pair.supervisor.tell("force")
        await pair.stop.forced.wait()

    await linked().run(work)


async def test_pages_of_the_whole_are_refused_while_the_supervisor_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_ANSWER_S", 0)

    async def work(pair: Linked) -> None:
        for ask in (pair.link.ask_readiness, pair.link.exposition):
            with pytest.raises(Rejection) as rejected:
                await ask()
            assert (rejected.value.status, str(rejected.value)) == (
                503,
                "The supervisor of the workers does not answer.",
            )

    await linked().run(work)


async def test_a_worker_counts_its_connections_only_while_it_accepts_some() -> None:
    async def work(pair: Linked) -> None:
        pair.link.count_connections(3)
        assert pair.balance.count(1) == -1
        pair.link.handover.on_change(True)
        pair.link.count_connections(3)
        assert pair.balance.count(1) == 3
        pair.link.handover.on_change(False)
        pair.link.count_connections(3)
        assert pair.balance.count(1) == -1
        assert [await pair.told.get(), await pair.told.get()] == [("accepts", True), ("accepts", False)]

    await linked().run(work)
