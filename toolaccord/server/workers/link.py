"""The link of a worker to its supervisor."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from toolaccord.server.workers import VARIABLE
from toolaccord.server.workers.balance import Balance, BalancedSocket
from toolaccord.server.workers.channel import Channel
from toolaccord.server.workers.orders import RETIREMENT_S, Order

if TYPE_CHECKING:
    from toolaccord.shutdown import StopSignal
    from toolaccord.telemetry.metrics import Metrics
    from toolaccord.transports.http.readiness import Readiness
    from toolaccord.transports.http.server import Handover

_LOG = logging.getLogger(__name__)
_ANSWER_S = 4.0
"""Seconds for an answer of the supervisor, which asks the other workers."""


class Link:
    """Speaks with the supervisor for this process, and for the pages that tell of all workers."""

    def __init__(self, order: Order) -> None:
        self._balance, self._place = Balance(order.balance, order.places), order.place
        self._sockets = [BalancedSocket(each, self._balance, order.place) for each in order.sockets]
        connection = socket.socket(fileno=order.channel)
        for each in (connection, *self._sockets):
            each.set_inheritable(False)
        self._channel = Channel(connection, self._answer)
        self._is_accepting = self._is_replaced = False
        self._stop: StopSignal
        self._readiness: Readiness
        self._metrics: Metrics

    @classmethod
    def take(cls) -> Link:
        """Return the link of the order in the environment.

        The order is removed, because processes that this one starts are no workers.
        """
        return cls(Order(**orjson.loads(os.environ.pop(VARIABLE))))

    @property
    def handover(self) -> Handover:
        """The sockets of this process."""
        from toolaccord.transports.http.server import Handover  # noqa: PLC0415 - an extra

        return Handover(
            self._sockets,
            on_change=self._tell_change,
            is_replaced=lambda: self._is_replaced,
            is_alone=False,
        )

    def count_connections(self, count: int) -> None:
        """Let other workers know the number of connections, if this one accepts any."""
        if self._is_accepting:
            self._balance.set(self._place, count)

    def _tell_change(self, accepts: bool) -> None:  # noqa: FBT001 - the only argument
        self._is_accepting = accepts
        self._balance.set(self._place, 0 if accepts else None)
        self._channel.tell("accepts", accepts)

    @asynccontextmanager
    async def open(self, stop: StopSignal, readiness: Readiness, metrics: Metrics) -> AsyncIterator[None]:
        """Speak with the supervisor within this block. Its end, or a message of it, requests *stop*."""
        self._stop, self._readiness, self._metrics = stop, readiness, metrics
        await self._channel.open()
        following = asyncio.create_task(self._follow())
        try:
            yield
        finally:
            self._channel.tell("last_metrics", await self._answer("metrics", None))
            await self._channel.flush()
            following.cancel()

    async def ask_readiness(self) -> Mapping[str, Any]:
        """Return the number of `wanted` workers, and the `states` of those that accept connections."""
        states: Mapping[str, Any] = await self._ask("ready")
        return states

    async def exposition(self) -> tuple[bytes, str]:
        """Return the metrics of all workers in Prometheus's text format, and its content type."""
        from toolaccord.telemetry import worker_metrics  # noqa: PLC0415 - not needed in the supervisor's parent

        return worker_metrics.expose(await self._ask("metrics"))

    async def _ask(self, topic: str) -> Any:
        from toolaccord.transports.http.errors import Rejection  # noqa: PLC0415 - an extra

        try:
            return await self._channel.ask(topic, _ANSWER_S)
        except TimeoutError as error:
            raise Rejection(503, "The supervisor of the workers does not answer.", occasion="internal") from error

    async def _follow(self) -> None:
        """Take messages; stop if the supervisor is gone."""
        await self._channel.run()
        _LOG.error("the supervisor is gone, so this worker stops")
        self._stop.request()

    async def _answer(self, topic: str, _content: Any) -> Any:
        """Take a message of the supervisor, and return the answer."""
        from toolaccord.telemetry import worker_metrics  # noqa: PLC0415 - loads the library for metrics

        match topic:
            case "ping":
                self._balance.give_sign(self._place)
                return True
            case "metrics":
                return worker_metrics.take_snapshot(self._metrics.registry)
            case "ready":
                state = await self._readiness.read_state()
                return None if self._stop.requested.is_set() else state
            case "stop":
                self._stop.request()
            case "force":
                self._stop.force()
            case "retire":
                self._is_replaced = True
                self._stop.request(replace(self._stop.timeouts, drain_s=RETIREMENT_S))
            case _:
                _LOG.error("the supervisor sent a message of an unknown topic: %s", topic)
        return None
