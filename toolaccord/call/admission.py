"""Admission to the queue of a tool: a call that would wait too long is rejected.

A queue shows in the time that calls take, so a tool is overloaded only while its calls take most of their deadline.
The calls that finish during the stay of one are then the rate of the tool, and a new call waits for those in flight at
that rate (Little's law). docs/decisions/0028-overload.md compares other rules.

Each caller has a fair share of a full queue: as many calls as every other one that has some in flight, or that found no
room within the last deadline. Whoever has more is rejected first.

Tools that use one source yield to its cheaper reads: while these are slow, each of the others has one call in flight,
and later more and more (docs/decisions/0065-outages-and-priorities.md).
"""

from __future__ import annotations

import itertools
import logging
import math
from collections.abc import Collection, Mapping

from toolaccord.declarations.operation import AnyOperation
from toolaccord.timing.clock import Clock

_WEIGHT = 1 / 8
"""Weight of the newest call in the averages, so small that one slow call changes little."""
_QUEUEING = 0.5
"""Share of the deadline that calls take on average while there is a queue."""
_MEMORY = 10
"""Deadlines for which a queue is remembered, since rejections make calls quick again."""
_LONGEST_QUEUE = 0.7
"""Share of the deadline for the calls ahead; the rest is for the call itself."""
_LONGEST_SHARED_QUEUE = 0.8
"""The same for a caller with no more than its share, if others have more than theirs."""
_LEAST_FINISHED = 0.01
"""Least number of calls that finish during one; without any, the rate would be 0."""
_RAMP = 10
"""Deadlines of a cheaper read after which calls no longer yield to it.

The number in flight has then doubled up to 1,000.
"""
_LOG_INTERVAL_S = 10.0
"""Seconds between two warnings about one tool."""
_LOG = logging.getLogger(__name__)


class Overloaded(Exception):
    """A call is rejected, because the calls ahead of it take *wait_s* seconds."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"the calls ahead take {wait_s:.3f} s")
        self.wait_s = wait_s


class Callers:
    """The callers of one tool that have calls in flight, or were turned away lately."""

    def __init__(self) -> None:
        self._calls: dict[str, int] = {}
        """Number of calls in flight of each caller."""
        self._turned_away: dict[str, float] = {}
        """Time until which each one that was turned away counts, the earliest first."""

    def enter(self, caller: str) -> None:
        """Count a call of *caller*, who is turned away no more."""
        self._calls[caller] = self._calls.get(caller, 0) + 1
        self._turned_away.pop(caller, None)

    def leave(self, caller: str) -> None:
        """Count a call of *caller* no more."""
        self._calls[caller] -= 1
        self._forget(caller)

    def turn_away(self, caller: str, until: float) -> None:
        """Count *caller*, who finds no room with no more than its share, until that time."""
        self._calls.setdefault(caller, 0)
        self._turned_away.pop(caller, None)
        self._turned_away[caller] = until

    def need_room(self, now: float) -> bool:
        """Return whether one was turned away lately that has no more than its share."""
        while self._turned_away:
            caller, until = next(iter(self._turned_away.items()))
            if now < until:
                return True
            del self._turned_away[caller]
            self._forget(caller)
        return False

    def if_all_were(self, caller: str) -> int:
        """Return the number of calls in flight if each caller had as many as *caller*.

        *caller* has its fair share if so many fill the queue.
        """
        return self._calls.get(caller, 0) * len(self._calls)

    def _forget(self, caller: str) -> None:
        if not self._calls[caller] and caller not in self._turned_away:
            del self._calls[caller]


class Queue:
    """The calls of one tool that are in flight, and the times of those that finished."""

    def __init__(self, operation: AnyOperation, clock: Clock) -> None:
        self._name = operation.name
        self._clock = clock
        self._timeout_s = operation.timeout_ms / 1000
        self._calls: dict[int, tuple[float, int, str]] = {}
        """Arrival of each call in flight, the number of finished calls then, and its caller."""
        self._callers = Callers()
        self._tickets = itertools.count()
        self._finished = 0
        self._mean_s, self._mean_finished = 0.0, 1.0
        self._idle_since = -math.inf
        self._slow_since, self._slow_until = math.inf, -math.inf
        self._warn_at = -math.inf
        self._cheaper: tuple[Queue, ...] = ()
        self.rejected = 0
        """Number of calls that were rejected."""

    @property
    def in_flight(self) -> int:
        """Number of calls that run or wait."""
        return len(self._calls)

    @property
    def wait_s(self) -> float:
        """Seconds until the calls in flight are finished, at the rate at which the last ones were."""
        return self._time(self.in_flight)

    def _time(self, calls: int) -> float:
        """Return the seconds until so many calls are finished."""
        return calls * self._mean_s / max(self._mean_finished, _LEAST_FINISHED)

    def yield_to(self, cheaper: Collection[Queue]) -> None:
        """Admit few calls while those of *cheaper* are slow."""
        self._cheaper = tuple(cheaper)

    def enter(self, caller: str = "") -> int:
        """Admit a call of a proven *caller*, or of all others; return its ticket for `leave`.

        Raises Overloaded.
        """
        now = self._clock.monotonic()
        is_full = self.is_slow(now) and self._is_full(caller, now)
        if is_full:
            self._slow_since = now
        if is_full or (self._calls and not all(each.allows(len(self._calls), now) for each in self._cheaper)):
            self._warn(now)
            raise Overloaded(self.wait_s)
        ticket = next(self._tickets)
        self._calls[ticket] = now, self._finished, caller
        self._callers.enter(caller)
        return ticket

    def _is_full(self, caller: str, now: float) -> bool:
        """Return whether *caller* finds no room; with no more than its share it gets the next."""
        needs_room = self._callers.need_room(now)
        if self._time(self._callers.if_all_were(caller)) > _LONGEST_QUEUE * self._timeout_s:
            return needs_room or self.wait_s > _LONGEST_QUEUE * self._timeout_s
        if self.wait_s <= _LONGEST_SHARED_QUEUE * self._timeout_s:
            return False
        self._callers.turn_away(caller, now + self._timeout_s)
        return True

    def is_slow(self, now: float) -> bool:
        """Return whether calls took more than half of their deadline lately.

        That is the mean of the last ones, or the time of the oldest in flight.
        A tool that had no call in flight for the time of its deadline starts anew.
        """
        if not self._calls and now - self._idle_since > self._timeout_s:
            self._mean_s, self._mean_finished, self._slow_until = 0.0, 1.0, -math.inf
        oldest, *_ = next(iter(self._calls.values()), (now,))
        if max(self._mean_s, now - oldest) > _QUEUEING * self._timeout_s:
            self._slow_since = min(self._slow_since, now)
            self._slow_until = now + _MEMORY * self._timeout_s
        else:
            self._slow_since = math.inf
        return now < self._slow_until

    def allows(self, others: int, now: float) -> bool:
        """Return whether a costlier tool with *others* calls in flight may have one more.

        It may not while calls are slow; afterwards the number doubles with each deadline. Calls that stay slow, without
        a queue and although the others yield, are slow by themselves.
        """
        if now - self._slow_since > _MEMORY * self._timeout_s:
            return True
        deadlines = (now - self._slow_until) / self._timeout_s
        return deadlines >= _RAMP or others < 2 ** max(0.0, deadlines)

    def leave(self, ticket: int, *, is_finished: bool) -> None:
        """End the call that has *ticket*.

        A call whose handler did not run to its end would have taken longer. It counts only if it took longer than the
        others.
        """
        now = self._idle_since = self._clock.monotonic()
        since, finished, caller = self._calls.pop(ticket)
        self._callers.leave(caller)
        self._finished += is_finished
        if is_finished or now - since > self._mean_s:
            self._mean_s += _WEIGHT * (now - since - self._mean_s)
            self._mean_finished += _WEIGHT * (self._finished - finished - self._mean_finished)

    def _warn(self, now: float) -> None:
        """Count a rejection, and log the first one and then one line every ten seconds."""
        self.rejected += 1
        if now >= self._warn_at:
            self._warn_at = now + _LOG_INTERVAL_S
            _LOG.warning(
                "%s is overloaded: %d calls are in flight, and %d were rejected since the start",
                self._name,
                self.in_flight,
                self.rejected,
            )


def rank(queues: Mapping[str, Queue], operations: Collection[AnyOperation]) -> None:
    """Let the calls of *operations* yield to cheaper reads of the same sources.

    A deadline is the promise of a contract, so a read is cheaper if its deadline is shorter. At equal deadlines, reads
    are cheaper than what writes, publishes or asks.
    """
    for operation in operations:
        cheaper = [each for each in operations if _changes_nothing(each) and _is_before(each, operation)]
        queues[operation.name].yield_to([queues[each.name] for each in cheaper])


def _is_before(read: AnyOperation, other: AnyOperation) -> bool:
    sources = {*read.reads} & {*other.reads, *other.writes}
    return bool(sources) and (read.timeout_ms, False) < (other.timeout_ms, not _changes_nothing(other))


def _changes_nothing(operation: AnyOperation) -> bool:
    return not (operation.writes or operation.publishes or operation.asks)
