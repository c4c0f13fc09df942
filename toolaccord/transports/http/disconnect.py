"""Waiting for the answer to a call while its client is connected.

Most answers are there at once. So a disconnect is watched for only after a short wait.
"""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

from starlette.types import Receive

from toolaccord.timing.deadline import settle

T = TypeVar("T")

_SHORT_WAIT_S = 0.05


class ClientDisconnected(Exception):
    """The client disconnected, so nobody waits for the response."""


class PendingAnswer(Generic[T]):
    """The answer to a running call, which a callback delivers."""

    __slots__ = ("_short_wait", "future")

    def __init__(self) -> None:
        self.future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        """The answer once it is delivered; cancelled if the call was abandoned."""
        self._short_wait: asyncio.Future[bool] | None = None

    def deliver(self, answer: T | None) -> None:
        """Take the answer; None if the call was abandoned."""
        settle(self.future, answer)
        if self._short_wait is not None:
            settle(self._short_wait, True)

    async def wait_briefly(self) -> bool:
        """Wait up to 50 ms for an answer that is not delivered yet; return whether it is then."""
        loop = asyncio.get_running_loop()
        self._short_wait = loop.create_future()
        timer = loop.call_later(_SHORT_WAIT_S, settle, self._short_wait, False)
        try:
            return await self._short_wait
        finally:
            timer.cancel()

    async def wait_while_connected(self, receive: Receive) -> T:
        """Return the answer. Raises ClientDisconnected; CancelledError for an abandoned call."""
        if not await self.wait_briefly():
            disconnect = asyncio.ensure_future(wait_for_disconnect(receive))
            try:
                await asyncio.wait((self.future, disconnect), return_when=asyncio.FIRST_COMPLETED)
            finally:
                disconnect.cancel()
        if not self.future.done():
            raise ClientDisconnected
        return self.future.result()


async def wait_for_disconnect(receive: Receive) -> None:
    """Wait until the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass
