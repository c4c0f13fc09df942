"""The pace of requests to a service: never more than it allows, however many callers there are."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from toolpact.sources.http import HttpRateLimited
from toolpact.timing.clock import Clock, sleep
from toolpact.timing.deadline import time_left


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """A caller in the line."""

    until: float
    """Its deadline, on the clock's monotonic time; infinity without one."""
    called: asyncio.Future[HttpRateLimited | None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    """Done once it is the first of the line, or is sent away: then why."""


class Pace:
    """A limit that all callers share: so many requests may begin in any stretch of time.

    3 a second admits three requests in any second; 0.5 a second admits one in any two seconds. Callers stand in one
    line. The first of it waits for what else it needs, says `begin`, and leaves; whoever gives up just leaves, and all
    behind move up. A slot is nobody's until a request begins in it.
    """

    def __init__(self, requests_per_second: float, clock: Clock) -> None:
        self._burst = max(1, int(requests_per_second))
        self._stretch_s = self._burst / requests_per_second
        self._clock = clock
        self._line: deque[_Waiting] = deque()
        self._begun: deque[float] = deque([float("-inf")] * self._burst, maxlen=self._burst)
        """When the newest requests began, oldest first."""
        self._paused_until = float("-inf")

    def is_free(self) -> bool:
        """Return whether a request may begin at once."""
        return not self._line and self._due(0) <= self._clock.monotonic()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Stand in the line until it is the caller's turn; leaving lets the next one come.

        Raises HttpRateLimited as soon as no slot can come before the caller's deadline.
        """
        left = time_left(self._clock)
        me = _Waiting(float("inf") if left is None else self._clock.monotonic() + left)
        if refusal := self._refusal(me, len(self._line)):
            raise refusal
        self._line.append(me)
        try:
            self._call_first()
            if refusal := await me.called:
                raise refusal
            yield
        finally:
            if me in self._line:
                self._line.remove(me)
            self._call_first()

    async def begin(self) -> None:
        """Wait for the slot of the first in the line, and take it. Raises HttpRateLimited where a pause puts it off too far."""
        while (wait_s := self._due(0) - self._clock.monotonic()) > 0:
            if refusal := self._refusal(self._line[0], 0):
                raise refusal
            await sleep(self._clock, wait_s)
        self._begun.append(self._clock.monotonic())

    def pause_until(self, time: float) -> None:
        """Let no request begin before *time*, on the clock's monotonic time; those who cannot wait so long are told now."""
        self._paused_until = max(self._paused_until, time)
        line, self._line = self._line, deque[_Waiting]()
        for me in line:
            refusal = (
                None if me.called.done() else self._refusal(me, len(self._line))
            )  # the first hears of it in `begin`
            if refusal:
                me.called.set_result(refusal)
            else:
                self._line.append(me)

    def _due(self, ahead: int) -> float:
        """Return when the request with so many *ahead* of it may begin at the soonest."""
        rounds, place = divmod(ahead, self._burst)
        earliest = max(self._clock.monotonic(), self._paused_until)
        return max(earliest + rounds * self._stretch_s, self._begun[place] + (rounds + 1) * self._stretch_s)

    def _refusal(self, me: _Waiting, ahead: int) -> HttpRateLimited | None:
        """Return why a caller with so many *ahead* of it need not wait; None if a slot may come before its deadline."""
        now, due = self._clock.monotonic(), self._due(ahead)
        if due <= now or due < me.until:
            return None
        return HttpRateLimited(f"the next slot is in {due - now:.1f} s, and the call has {me.until - now:.1f} s left")

    def _call_first(self) -> None:
        if self._line and not self._line[0].called.done():
            self._line[0].called.set_result(None)
