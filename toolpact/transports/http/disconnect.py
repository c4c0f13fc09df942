"""Waiting for the answer to a call: most are there before anybody could leave, so only after a while it is watched whether one does."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

from starlette.types import Receive

from toolpact.timing.deadline import settle
from toolpact.transports.http.body import departure

T = TypeVar("T")

_BRIEF_S = 0.05


class Hearing(Generic[T]):
    """Waits for an answer that somebody else has it hear."""

    __slots__ = ("_turn", "answer")

    def __init__(self) -> None:
        self.answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        """The answer, once it is heard; cancelled where there will be none."""
        self._turn: asyncio.Future[bool] | None = None

    def hear(self, answer: T | None) -> None:
        """Take the answer; None where there will be none."""
        settle(self.answer, answer)
        if self._turn is not None:
            settle(self._turn, True)

    async def soon(self) -> bool:
        """Wait a little for an answer that is not there yet; return whether it is there then."""
        loop = asyncio.get_running_loop()
        self._turn = loop.create_future()
        timer = loop.call_later(_BRIEF_S, settle, self._turn, False)
        try:
            return await self._turn
        finally:
            timer.cancel()

    async def while_there(self, receive: Receive) -> bool:
        """Wait as long as the client does; return whether the answer is there."""
        if await self.soon():
            return True
        gone = asyncio.ensure_future(departure(receive))
        try:
            await asyncio.wait((self.answer, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
        return self.answer.done()
