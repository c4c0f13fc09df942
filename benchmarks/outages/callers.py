"""Callers with intended send times, who repeat a failed call with its key."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from heapq import heapify, heapreplace
from itertools import count
from typing import Any

from benchmarks.clients.paced import Connection
from benchmarks.outages.kinds import Kind
from toolaccord.timing.clock import SystemClock
from toolaccord.timing.retry_budget import RetryBudget
from toolaccord.timing.retrying import Repetition, Retry

RETRY = Retry(max_attempts=6, initial_delay_s=0.1, max_delay_s=2.0, jitter=1.0)
"""Attempts of a call: the last one about four seconds after the first."""
PATIENCE_S = 2.0
"""Seconds beyond a tool's deadline after which a caller gives up."""
_CLOCK = SystemClock()
RESULT, PROXY, SILENT = "", "proxy ", "no answer"
LOST = f"{PROXY}closed"
"""The proxy ended the connection.

HAProxy does so if a server's connection ends that had a request before.
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request, and what came of it."""

    sent_s: float
    """Seconds from the begin of the run."""
    took_s: float
    outcome: str
    """RESULT, the code of an error, or one that begins with PROXY; SILENT if nobody answered."""


@dataclass(slots=True)
class Call:
    """A call of one caller, with all its attempts."""

    kind: Kind
    number: int
    caller: int
    intended_s: float
    """Seconds from the begin of the run until it should be sent."""
    late_s: float = 0.0
    """Seconds by which the generator sent it late."""
    latency_s: float = 0.0
    """Seconds from the intended time to the last answer."""
    attempts: list[Attempt] = field(default_factory=list)
    result: Mapping[str, Any] | None = None

    @property
    def outcome(self) -> str:
        """The outcome of the last attempt."""
        return self.attempts[-1].outcome

    @property
    def identity(self) -> str | None:
        """The identity of the write that the server acknowledged, if it did."""
        return self.kind.read_identity(self.result) if self.result and self.kind.read_identity else None


class _Failed(Exception):
    """An attempt had no result; *retry_after_s* is None if a repetition would fail as well."""

    def __init__(self, outcome: str, retry_after_s: float | None) -> None:
        super().__init__(outcome)
        self.retry_after_s = retry_after_s


def plan(kinds: Sequence[Kind], callers: int, rate: float, seed: int = 1) -> Iterator[Call]:
    """Yield calls without end, in the order of their times.

    Those of each caller are a Poisson process.
    """
    chance = random.Random(seed)  # noqa: S311 - times, no secrets
    due = [(chance.expovariate(rate / callers), caller) for caller in range(callers)]
    heapify(due)
    for number in count():
        time_s, caller = due[0]
        heapreplace(due, (time_s + chance.expovariate(rate / callers), caller))
        yield Call(kinds[number % len(kinds)], number, caller, time_s)


class Callers:
    """Callers with connections of their own to each server's proxy."""

    def __init__(self, ports: Mapping[str, int]) -> None:
        self._ports = ports
        self._idle: dict[tuple[str, int], deque[Connection]] = {}
        self._opened: list[Connection] = []
        self._budgets: defaultdict[int, RetryBudget] = defaultdict(partial(RetryBudget, _CLOCK))

    @contextmanager
    def closing(self) -> Iterator[Callers]:
        """Close all connections at the end."""
        try:
            yield self
        finally:
            for connection in self._opened:
                connection.close()

    async def connect(self, callers: int) -> None:
        """Open a connection of each of *callers* to each proxy."""
        for server in self._ports:
            for caller in range(callers):
                await self._open(server, caller)

    async def offer(self, calls: Iterable[Call], start: float, is_over: Callable[[Call], bool]) -> list[Call]:
        """Send each of *calls* at its time, answered or not, until one *is_over*.

        *start* is the begin of the run, by the clock of performance. Returns those that were sent after the last
        answer.
        """
        sent = []
        async with asyncio.TaskGroup() as group:
            for call in calls:
                if (wait_s := start + call.intended_s - time.perf_counter()) > 0:
                    await asyncio.sleep(wait_s)
                if is_over(call):
                    break
                group.create_task(self.make(call, start))
                sent.append(call)
        return sent

    async def make(self, call: Call, start: float) -> None:
        """Send *call* until it has a result, or its attempts are over."""
        request = call.kind.request(call.number, call.caller)
        repetition = Repetition(
            retry=RETRY,
            budget=self._budgets[call.caller],
            clock=_CLOCK,
            random=random.random,
            find_retry_after_s=lambda error: getattr(error, "retry_after_s", None),
            on_retry=lambda *_: None,
        )
        with suppress(_Failed):  # the attempts tell
            await repetition.run(lambda: self._attempt(call, request, start))
        call.latency_s = time.perf_counter() - start - call.intended_s

    async def _attempt(self, call: Call, request: bytes, start: float) -> None:
        pool = self._pool(call.kind.server, call.caller)
        while not pool:  # another call of the caller may take the new connection
            await self._open(call.kind.server, call.caller)
        sent = time.perf_counter()
        if not call.attempts:
            call.late_s = sent - start - call.intended_s
        status, body = await _exchange(pool.pop(), request, call.kind.deadline_s + PATIENCE_S)
        outcome, retry_after_s = _judge(status, body)
        call.attempts.append(Attempt(sent - start, time.perf_counter() - sent, outcome))
        if outcome:
            raise _Failed(outcome, retry_after_s)
        call.result = json.loads(body)

    def _pool(self, server: str, caller: int) -> deque[Connection]:
        return self._idle.setdefault((server, caller), deque())

    async def _open(self, server: str, caller: int) -> None:
        pool = self._pool(server, caller)
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(lambda: Connection(pool), "127.0.0.1", self._ports[server])
        self._opened.append(connection)


async def _exchange(connection: Connection, request: bytes, patience_s: float) -> tuple[int, bytes]:
    """Return status and body: 0 and nothing from a lost connection, -1 if nobody answers."""
    answered: asyncio.Future[tuple[int, bytes]] = asyncio.get_running_loop().create_future()

    def take(status: int, body: bytes) -> None:
        if not answered.done():
            answered.set_result((status, body))

    connection.send(request, take)
    try:
        return await asyncio.wait_for(answered, patience_s)
    except TimeoutError:
        connection.close()
        return -1, b""


def _judge(status: int, body: bytes) -> tuple[str, float | None]:
    """Return the outcome, and the seconds until a repetition is worth it; None if it never is."""
    if status == 200:
        return RESULT, None
    if status <= 0:
        return (LOST if status == 0 else SILENT), 0
    if not body.startswith(b"{"):
        return f"{PROXY}{status}", 0
    error = json.loads(body)["error"]
    is_final = status in {400, 401, 403, 404, 409, 422}
    return str(error["code"]), None if is_final else (error.get("details") or {}).get("retry_after_s", 0)
