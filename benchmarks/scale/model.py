"""A discrete-event model of callers, replicas with one event loop each, and backends.

A call takes turns on the event loop of its replica, after those of other calls, and each turn needs a core. Between
turns it visits backends, over connections of its replica's pools. Admission, pauses and budgets of retries are the
library's own, on the model's clock. Everything random comes from one seed.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from random import Random
from typing import Any, TypeAlias, cast

import simpy

from benchmarks.scale.calls import Call, Draw, Leg, Visit
from toolaccord.call.admission import Overloaded, Queue
from toolaccord.declarations.operation import AnyOperation
from toolaccord.timing.clock import Timer
from toolaccord.timing.retry_budget import RetryBudget
from toolaccord.timing.retrying import Retry

Steps: TypeAlias = Generator[simpy.Event, Any, Any]
SLICE_S = 0.003
"""Time for which Linux lets a thread without priority keep its core while others wait."""
_START = datetime(2026, 1, 1, tzinfo=UTC)


class Outcome(Enum):
    """The end of a call."""

    RESULT = "result"
    REJECTED = "rejected"
    """By admission."""
    LIMITED = "limited"
    """The pace of a backend has no slot before the deadline."""
    EXPIRED = "expired"
    """The deadline passed first."""


@dataclass(frozen=True, slots=True)
class Work:
    """The work that a call of a tool makes."""

    timeout_s: float
    draw: Draw
    rejection_s: float = 0.0
    """Processor time of the server for a call that ends before its handler."""
    client_s: float = 0.0
    """Processor time of the client."""
    client_wake_s: float = 0.0
    """Further processor time of the client when it was idle."""
    hits: float = 0.0
    """Share of the calls that the cache in memory answers."""
    hit_s: float = 0.0
    """Processor time of such a call."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The machines, and what runs on them."""

    replicas: Sequence[str]
    """The machine of each replica."""
    cores: Mapping[str, int] = field(default_factory=dict)
    """The cores of each machine; any other machine has a core for each of its threads."""
    backends: Mapping[str, str] = field(default_factory=dict)
    """The machine of each backend."""
    threads: Mapping[str, int] = field(default_factory=dict)
    """Requests that a backend serves at once; any number if it is not named."""
    pools: Mapping[str, int] = field(default_factory=dict)
    """Connections of each replica to a backend."""
    paces: Mapping[str, float] = field(default_factory=dict)
    """Requests a second that a backend allows to all replicas together."""
    client: str = "client"
    """The machine of the client, which has one thread."""
    connections: Sequence[int] | int = 1000
    """Connections of the client, or of a proxy, to each replica."""
    slice_s: float = SLICE_S
    """Time for which a thread keeps its core while others wait for one."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A call that has ended."""

    intended: float
    latency_s: float
    """Seconds from its intended time, with all its attempts."""
    outcome: Outcome
    attempts: int


class SimulatedClock:
    """The time of a simulation, as the library reads it."""

    def __init__(self, environment: simpy.Environment) -> None:
        self._environment = environment

    def now(self) -> datetime:
        """Return a time of day."""
        return _START + timedelta(seconds=self._environment.now)

    def monotonic(self) -> float:
        """Return the simulated seconds."""
        return self._environment.now

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> Timer:
        """Reject a timer: the model has events."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class _Operation:
    name: str
    timeout_ms: float


class _Thread:
    """Work that is done in order, on one core of a machine.

    It keeps its core while more of its work waits, until its time slice is over.
    """

    def __init__(
        self, environment: simpy.Environment, cores: simpy.Resource | None, slice_s: float, wake_s: float = 0.0
    ) -> None:
        self._environment, self._cores, self._slice_s, self._wake_s = environment, cores, slice_s, wake_s
        self._waiting: deque[tuple[float | Callable[[], float], simpy.Event]] = deque()
        self._is_awake = False
        self._ended_at = -math.inf
        self.busy_s = 0.0

    @property
    def idle_s(self) -> float:
        """Seconds since it had something to do."""
        return 0.0 if self._is_awake else self._environment.now - self._ended_at

    def turn(self, seconds: float | Callable[[], float]) -> simpy.Event:
        """Work for some seconds, which a function may find then; return the end of the turn."""
        done = self._environment.event()
        self._waiting.append((seconds, done))
        if not self._is_awake:
            self._is_awake = True
            self._environment.process(self._work())
        return done

    def _work(self) -> Steps:
        environment, extra_s = self._environment, self._wake_s
        while self._waiting:
            core = self._cores.request() if self._cores is not None else None
            if core:
                yield core
            until = environment.now + self._slice_s
            while self._waiting and (core is None or environment.now <= until):
                given, done = self._waiting.popleft()
                seconds, extra_s = (given() if callable(given) else given) + extra_s, 0.0
                self.busy_s += seconds
                yield environment.timeout(seconds)
                done.succeed()
                yield environment.timeout(0)  # what waited for the end may add a turn
            if self._cores is not None and core:
                self._cores.release(core)
        self._is_awake, self._ended_at = False, environment.now


def compute(environment: simpy.Environment, cores: simpy.Resource | None, seconds: float) -> Steps:
    """Work for some seconds on a core; without *cores* there is always a free one."""
    if cores is None:
        yield environment.timeout(seconds)
        return
    with cores.request() as core:
        yield core
        yield environment.timeout(seconds)


class _Replica:
    """One process of the server."""

    def __init__(self, environment: simpy.Environment, layout: Layout, loop: _Thread, timeout_s: float) -> None:
        self.loop = loop
        self.pools = {name: simpy.Resource(environment, size) for name, size in layout.pools.items()}
        operation = cast("AnyOperation", _Operation("modelled", 1000 * timeout_s))
        self.queue = Queue(operation, SimulatedClock(environment))


class _Served:
    """A call that a replica serves."""

    def __init__(self, replica: _Replica, call: Call, answered: simpy.Event, timeout_s: float) -> None:
        self.replica, self.call, self._answered, self._timeout_s = replica, call, answered, timeout_s
        self.pools: dict[str, Any] = {}
        """The connections that it has, by backend."""
        self.expires = math.inf
        self._ticket: int | None = None
        self._wait_s = 0.0

    def is_admitted(self) -> bool:
        """Return whether it was admitted."""
        return self._ticket is not None

    def enter(self, now: float, seconds: float, rejection_s: float) -> float:
        """Ask for admission; return the processor time of the turn, which depends on it."""
        self.expires = now + self._timeout_s
        try:
            self._ticket = self.replica.queue.enter()
        except Overloaded as error:
            self._wait_s = max(1, math.ceil(error.wait_s))
            return rejection_s
        return seconds

    def answer(self, outcome: Outcome) -> None:
        """Send the answer, with the seconds to wait after a rejection."""
        if self._ticket is not None:
            self.replica.queue.leave(self._ticket, is_finished=outcome is Outcome.RESULT)
        self._answered.succeed((outcome, self._wait_s))

    def give_back(self, *, but: str | None = None) -> None:
        """Give back its connections, except those to one backend."""
        for name in [name for name in self.pools if name != but]:
            self.replica.pools[name].release(self.pools.pop(name))


class Simulation:
    """Calls of one tool."""

    def __init__(
        self,
        work: Work,
        layout: Layout,
        *,
        seed: int = 1,
        retry: Retry | None = None,
        budget: Callable[[SimulatedClock], RetryBudget] | None = None,
    ) -> None:
        self._environment = environment = simpy.Environment()
        self._work, self._layout, self._random = work, layout, Random(seed)  # noqa: S311 - a model
        self._retry = retry or Retry(max_attempts=1)
        self._budget = budget(SimulatedClock(environment)) if budget else None
        self._machines = {name: simpy.Resource(environment, cores) for name, cores in layout.cores.items()}
        self._replicas = [
            _Replica(environment, layout, self._thread(machine), work.timeout_s) for machine in layout.replicas
        ]
        self._client = self._thread(layout.client, work.client_wake_s)
        self._threads = {name: simpy.Resource(environment, size) for name, size in layout.threads.items()}
        self._slots = dict.fromkeys(layout.paces, 0.0)
        self._idle = simpy.Store(environment)
        """The replica of each idle connection, the one idle for longest first."""
        self._idle.items.extend(self._list_connections())
        self.visited: Counter[str] = Counter()
        """Requests to each backend."""
        self.visited_s: dict[str, float] = defaultdict(float)
        """Processor time of each backend."""
        self.started = self.away = 0
        """Calls that were started, and those of them that have not ended."""
        self.ended: list[Ended] = []

    def offer(self, times: Iterable[float]) -> None:
        """Start a call at each of some times, which ascend, whether others have ended or not."""
        self._environment.process(self._offer(times))

    def let_think(self, callers: int, think_s: float, until: float) -> None:
        """Let *callers* call until a time, each *think_s* on average after its last call.

        The pauses are exponential. So the next call of them all comes at a rate that only their number decides.
        """
        self._environment.process(self._let_think(callers, think_s, until))

    def run(self) -> Sequence[Ended]:
        """Simulate until all calls have ended; return them."""
        self._environment.run()
        return self.ended

    @property
    def server_busy_s(self) -> float:
        """Processor time of all replicas."""
        return sum(each.loop.busy_s for each in self._replicas)

    def _thread(self, machine: str, wake_s: float = 0.0) -> _Thread:
        return _Thread(self._environment, self._machines.get(machine), self._layout.slice_s, wake_s)

    def _list_connections(self) -> Sequence[_Replica]:
        """Return the replica of each connection, those of all replicas mixed."""
        given = self._layout.connections
        counts = [given] * len(self._replicas) if isinstance(given, int) else given
        places = [(number / count, each) for each, count in enumerate(counts) for number in range(count)]
        return [self._replicas[each] for _, each in sorted(places)]

    def _offer(self, times: Iterable[float]) -> Steps:
        for time in times:
            yield self._environment.timeout(time - self._environment.now)
            self._start()

    def _let_think(self, callers: int, think_s: float, until: float) -> Steps:
        while True:
            yield self._environment.timeout(self._random.expovariate(callers / think_s))
            if self._environment.now >= until:
                return
            if self._random.random() * callers < callers - self.away:
                self._start()

    def _start(self) -> None:
        self.started += 1
        self.away += 1
        self._environment.process(self._call())

    def _call(self) -> Steps:
        """Call, and again after a rejection, as typed clients do."""
        intended, attempt = self._environment.now, 1
        if self._budget:
            self._budget.count_request()
        while True:
            outcome, wait_s = yield from self._attempt()
            if outcome is not Outcome.REJECTED or attempt >= self._retry.max_attempts:
                break
            if self._budget and not self._budget.take():
                break
            yield self._environment.timeout(self._retry.pause_s(attempt, wait_s, self._random.random()))
            attempt += 1
        self.away -= 1
        self.ended.append(Ended(intended, self._environment.now - intended, outcome, attempt))

    def _attempt(self) -> Steps:
        """Send a request; return the outcome, and the seconds to wait after a rejection."""
        half_s, environment = self._work.client_s / 2, self._environment
        replica: _Replica = yield self._idle.get()
        if half_s:
            self._client.turn(half_s)  # its lag is no part of the latency
        if self._random.random() < self._work.hits:
            yield replica.loop.turn(self._work.hit_s)
            self._idle.put(replica)
            return Outcome.RESULT, 0.0
        call = self._work.draw(self._random, replica.loop.idle_s)
        yield environment.timeout(call.transit_s)
        answered = environment.event()
        environment.process(self._serve(_Served(replica, call, answered, self._work.timeout_s)))
        ended: tuple[Outcome, float] = yield answered
        yield environment.timeout(max(call.return_s - half_s - self._work.client_wake_s, 0.0))
        if half_s:
            yield self._client.turn(half_s)
        self._idle.put(replica)
        return ended

    def _serve(self, served: _Served) -> Steps:
        """Admit a call, do its turns and visits, and answer it before its last turns are done."""
        for leg in served.call.legs:
            outcome: Outcome = yield from self._travel(served, leg)
            if outcome is not Outcome.RESULT:
                served.give_back()
                served.answer(outcome)
                return

    def _travel(self, served: _Served, leg: Leg) -> Steps:
        """Do the turns of a leg and its visit; return the outcome.

        The first turn gives back connections that are not needed any more.
        """
        answer: simpy.Event | None = None
        for number, seconds in enumerate(leg.turns_s):
            sent = leg.visit if number == leg.sends else None
            if sent and not (yield from self._connect(served, sent.backend)):
                return Outcome.EXPIRED
            outcome: Outcome = yield from self._turn(served, seconds)
            if outcome is not Outcome.RESULT:
                return outcome
            if number == 0:
                served.give_back(but=leg.visit.backend if leg.visit else None)
            if sent:
                answer = self._environment.process(self._visit(sent, served.expires))
            elif number == leg.sends:
                served.answer(Outcome.RESULT)
        return (yield answer) if answer else Outcome.RESULT

    def _turn(self, served: _Served, seconds: float) -> Steps:
        """Do a turn of a call, of which the first one admits it; return the outcome."""
        loop, environment = served.replica.loop, self._environment
        if not served.is_admitted():
            yield loop.turn(lambda: served.enter(environment.now, seconds, self._work.rejection_s))
            return Outcome.RESULT if served.is_admitted() else Outcome.REJECTED
        if environment.now > served.expires:
            return Outcome.EXPIRED
        yield loop.turn(seconds)
        return Outcome.RESULT

    def _connect(self, served: _Served, backend: str) -> Steps:
        """Take a connection of the pool, if there is a pool; return whether that was in time."""
        pool = served.replica.pools.get(backend)
        if pool is None or backend in served.pools:
            return True
        connection = pool.request()
        yield connection | self._environment.timeout(max(served.expires - self._environment.now, 0.0))
        if not connection.triggered:
            connection.cancel()
            return False
        served.pools[backend] = connection
        return True

    def _visit(self, visit: Visit, expires: float) -> Steps:
        """Ask a backend, in the next slot of its pace; return the outcome."""
        name, environment = visit.backend, self._environment
        if name in self._slots:
            slot = max(self._slots[name], environment.now)
            if slot >= expires:
                return Outcome.LIMITED
            self._slots[name] = slot + 1 / self._layout.paces[name]
            yield environment.timeout(slot - environment.now)
        self.visited[name] += 1
        self.visited_s[name] += visit.processor_s
        before_s = min(visit.wait_s, visit.processor_s)
        yield from self._compute(name, before_s)
        if visit.processor_s > before_s:
            environment.process(self._compute(name, visit.processor_s - before_s))
        yield environment.timeout(visit.wait_s - before_s)
        return Outcome.RESULT

    def _compute(self, backend: str, seconds: float) -> Steps:
        """Let a backend work, on one of its threads and on a core."""
        cores = self._machines.get(self._layout.backends.get(backend, backend))
        threads = self._threads.get(backend)
        if threads is None:
            yield from compute(self._environment, cores, seconds)
            return
        with threads.request() as thread:
            yield thread
            yield from compute(self._environment, cores, seconds)
