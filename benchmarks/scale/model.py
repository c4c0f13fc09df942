"""A discrete-event model of callers, replicas with one event loop each, and backends.

A call takes turns on the event loop of its replica, in order of arrival, and each turn needs a core. Between two turns
it visits a backend, over a connection of its replica's pool. Admission, pauses and budgets of retries are the library's
own, on the model's clock. Everything random comes from one seed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from random import Random
from typing import Any, TypeAlias, cast

import simpy

from benchmarks.scale.samplers import NOTHING, Sampler
from toolaccord.call.admission import Overloaded, Queue
from toolaccord.declarations.operation import AnyOperation
from toolaccord.timing.clock import Timer
from toolaccord.timing.retry_budget import RetryBudget
from toolaccord.timing.retrying import Retry

Steps: TypeAlias = Generator[simpy.Event, Any, Any]
_START = datetime(2026, 1, 1, tzinfo=UTC)
_SLICE_S = 0.003
"""Time for which Linux lets a thread keep its core while others wait for one."""


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
class Visit:
    """A request of a call to a backend."""

    backend: str
    processor_s: float
    """Processor time of the backend."""
    wait: Sampler = NOTHING
    """Further seconds until the answer: network, disks, and the system's wake-ups."""


@dataclass(frozen=True, slots=True)
class Work:
    """The work that a call of a tool makes."""

    timeout_s: float
    server: Sampler
    """Processor time of the server."""
    visits: Sequence[Visit] = ()
    wake_s: float = 0.0
    """Further processor time of a turn that wakes an idle event loop."""
    rejection_s: float = 0.0
    """Processor time of a call that ends before its handler."""
    client_s: float = 0.0
    """Processor time of the client."""
    client_wake_s: float = 0.0
    """Further processor time of the client when it was idle."""
    client_lag_s: float = 0.0
    """Most time by which the client's timers are late."""
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
    connections: int = 1000
    """Connections of the client, or of a proxy, to each replica."""


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

    def __init__(self, environment: simpy.Environment, cores: simpy.Resource | None, wake_s: float = 0.0) -> None:
        self._environment, self._cores, self._wake_s = environment, cores, wake_s
        self._turns = simpy.Resource(environment)
        self._core: simpy.resources.resource.Request | None = None
        self._since = 0.0
        self._ended_at = -1.0
        self.busy_s = 0.0

    def turn(self, find_seconds: Callable[[], float]) -> Steps:
        """Wait for a turn, and work for as long as *find_seconds* says when it has come."""
        environment = self._environment
        is_idle = not self._turns.count and self._ended_at < environment.now
        with self._turns.request() as turn:
            yield turn
            if self._cores is not None and self._core is None:
                self._core = self._cores.request()
                yield self._core
                self._since = environment.now
            seconds = find_seconds() + (self._wake_s if is_idle else 0.0)
            self.busy_s += seconds
            yield environment.timeout(seconds)
            self._ended_at = environment.now
            is_over = not self._turns.queue or environment.now - self._since >= _SLICE_S
            if self._cores is not None and self._core is not None and is_over:
                self._cores.release(self._core)
                self._core = None


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
            _Replica(environment, layout, self._thread(machine, work.wake_s), work.timeout_s)
            for machine in layout.replicas
        ]
        self._client = self._thread(layout.client, work.client_wake_s)
        self._threads = {name: simpy.Resource(environment, size) for name, size in layout.threads.items()}
        self._slots = dict.fromkeys(layout.paces, 0.0)
        self._idle = simpy.Store(environment)
        """The replica of each idle connection, the one idle for longest first."""
        self._idle.items.extend(each for _ in range(layout.connections) for each in self._replicas)
        self.visited: Counter[str] = Counter()
        """Requests to each backend."""
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
        return _Thread(self._environment, self._machines.get(machine), wake_s)

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
        half_s = self._work.client_s / 2
        if half_s:
            yield self._environment.timeout(self._random.random() * self._work.client_lag_s)
            yield from self._client.turn(lambda: half_s)
        replica = yield self._idle.get()
        ended: tuple[Outcome, float] = yield from self._serve(replica)
        if half_s:
            yield from self._client.turn(lambda: half_s)
        self._idle.put(replica)
        return ended

    def _serve(self, replica: _Replica) -> Steps:
        """Read the request, admit it, and run its handler."""
        half_s, environment = self._work.rejection_s / 2, self._environment
        admitted: list[int] = []
        waits_s: list[float] = []

        def enter() -> float:
            try:
                admitted.append(replica.queue.enter())
            except Overloaded as error:
                waits_s.append(max(1, math.ceil(error.wait_s)))
            return half_s

        if self._random.random() < self._work.hits:
            yield from replica.loop.turn(lambda: self._work.hit_s)
            return Outcome.RESULT, 0.0
        if half_s:
            yield from replica.loop.turn(lambda: half_s)
        yield from replica.loop.turn(enter)
        if not admitted:
            return Outcome.REJECTED, waits_s[0]
        outcome: Outcome = yield from self._handle(replica, environment.now + self._work.timeout_s)
        replica.queue.leave(admitted[0], is_finished=outcome is Outcome.RESULT)
        return outcome, 0.0

    def _handle(self, replica: _Replica, expires: float) -> Steps:
        """Work in as many turns as there are visits, and one more; return the outcome."""
        visits = self._work.visits
        turn_s = max(self._work.server(self._random) - self._work.rejection_s, 0.0) / (len(visits) + 1)
        is_late: list[bool] = []

        def work() -> float:
            is_late.append(self._environment.now > expires)
            return 0.0 if is_late[-1] else turn_s

        yield from replica.loop.turn(work)
        for visit in visits:
            if is_late[-1]:
                break
            outcome: Outcome = yield from self._visit(replica, visit, expires, work)
            if outcome is not Outcome.RESULT:
                return outcome
        return Outcome.EXPIRED if is_late[-1] else Outcome.RESULT

    def _visit(self, replica: _Replica, visit: Visit, expires: float, work: Callable[[], float]) -> Steps:
        """Ask a backend; return the outcome. The turn after it gives back the pool's connection."""
        if visit.backend in self._slots:
            slot = max(self._slots[visit.backend], self._environment.now)
            if slot >= expires:
                return Outcome.LIMITED
            self._slots[visit.backend] = slot + 1 / self._layout.paces[visit.backend]
            yield self._environment.timeout(slot - self._environment.now)
        pool = replica.pools.get(visit.backend)
        if pool is None:
            yield from self._answer(visit)
            yield from replica.loop.turn(work)
            return Outcome.RESULT
        with pool.request() as connection:
            yield connection | self._environment.timeout(max(expires - self._environment.now, 0.0))
            if not connection.triggered:
                return Outcome.EXPIRED
            yield from self._answer(visit)
            yield from replica.loop.turn(work)
        return Outcome.RESULT

    def _answer(self, visit: Visit) -> Steps:
        """Let a backend work, and its answer travel."""
        self.visited[visit.backend] += 1
        cores = self._machines.get(self._layout.backends.get(visit.backend, visit.backend))
        threads = self._threads.get(visit.backend)
        if threads is None:
            yield from compute(self._environment, cores, visit.processor_s)
        else:
            with threads.request() as thread:
                yield thread
                yield from compute(self._environment, cores, visit.processor_s)
        yield self._environment.timeout(visit.wait(self._random))
