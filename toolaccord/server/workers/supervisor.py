"""Supervisor of workers: starts, replaces and stops them, and answers for all of them."""

from __future__ import annotations

import asyncio
import logging
import signal
from dataclasses import dataclass
from typing import Any

from toolaccord.config.process_settings import StopTimeouts
from toolaccord.server.startup import StartError
from toolaccord.server.workers.orders import RETIREMENT_S
from toolaccord.server.workers.worker_process import Command, WorkerProcess
from toolaccord.shutdown import STOP_S
from toolaccord.telemetry.worker_metrics import Snapshot, add_up, describe_workers, without_gauges

_LOG = logging.getLogger(__name__)
_REPORTED = (1, 2)
"""Exit codes of a process that has said on standard error why it failed."""
_MISSED_PINGS = 3
"""Pings in a row without an answer, after which a worker is killed."""
_KILL_S = 0.5
"""Seconds beyond the time of a worker after which it is killed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Times of a supervisor, in seconds."""

    answer_s: float = 2.5
    """Time in which a worker answers; a check of its sources takes at most 2 s."""
    ping_s: float = 10.0
    """Time between two pings, and for the answer to each."""
    start_s: float = 60.0
    """Time in which a new worker must be ready to replace another one."""
    look_s: float = 0.25
    """Time between two looks whether it is."""
    first_pause_s: float = 0.5
    """Pause before the second start in a row; each further one is twice as long."""
    longest_pause_s: float = 30.0
    """Longest pause between two starts."""
    healthy_s: float = 60.0
    """Life of a worker after whose end the next one starts without a pause."""


@dataclass(slots=True)
class _Place:
    """The place of one worker."""

    worker: WorkerProcess
    short_lives: int = 0
    """Workers in a row that ended soon after their start."""


class Supervisor:
    """Keeps workers running until a signal stops them."""

    def __init__(self, command: Command, count: int, timeouts: StopTimeouts, times: Times | None = None) -> None:
        self.exit_code = 0
        """The exit code of the whole."""
        self._command = command
        self._count = count
        self._timeouts = timeouts
        self._times = times or Times()
        self._workers: dict[WorkerProcess, asyncio.Task[None]] = {}
        """All that live, replaced ones too, with the tasks that watch them."""
        self._places: list[_Place] = []
        self._ended: Snapshot = []
        """The counts of workers that have ended."""
        self._failures = 0
        self._stop, self._force, self._replacement = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def run(self) -> None:
        """Keep workers running until a signal. Raises StartError if the first one cannot start."""
        self._take_signals()
        keeping = asyncio.create_task(self._keep_all())
        stopping = asyncio.create_task(self._stop.wait())
        await asyncio.wait({keeping, stopping}, return_when=asyncio.FIRST_COMPLETED)
        self._stop.set()
        keeping.cancel()
        await asyncio.wait({keeping})
        await self._stop_all()
        if not keeping.cancelled():
            keeping.result()

    def _take_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for each in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(each, self._take_stop)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            loop.add_signal_handler(signal.SIGHUP, self._replacement.set)

    def _take_stop(self) -> None:
        (self._force if self._stop.is_set() else self._stop).set()

    async def _keep_all(self) -> None:
        """Start the workers, the first alone, and keep all of them running."""
        try:
            first = await self._start()
        except OSError as error:
            raise StartError(f"the first worker cannot be started: {error}") from error
        await first.start_is_over.wait()
        if not first.is_running:
            code = await first.ended
            self.exit_code = code
            if code not in _REPORTED:
                raise StartError(f"the first worker {_describe_end(code)} before it accepted connections")
            return
        self._places = [_Place(first)]
        self._places += [_Place(await self._start()) for _ in range(self._count - 1)]
        async with asyncio.TaskGroup() as tasks:
            for place in self._places:
                tasks.create_task(self._keep(place))
            tasks.create_task(self._replace_on_demand())

    async def _start_in(self, place: _Place) -> WorkerProcess:
        """Start a worker of *place*, as soon as the system can."""
        while True:
            try:
                return await self._start()
            except OSError as error:
                place.short_lives += 1
                pause_s = self._pause_s(place.short_lives)
                _LOG.error("no worker can be started, and the next try is in %g s: %s", pause_s, error)
                await asyncio.sleep(pause_s)

    async def _start(self) -> WorkerProcess:
        """Start a worker. Raises OSError."""
        taken = {worker.place for worker in self._workers}
        place = next(each for each in range(self._command.balance.places) if each not in taken)
        worker = await WorkerProcess.start(self._command, self._answer, place)
        self._workers[worker] = asyncio.create_task(self._watch(worker))
        worker.ended.add_done_callback(lambda _: self._bury(worker))
        return worker

    def _bury(self, worker: WorkerProcess) -> None:
        """Forget a worker that has ended, and keep its counts."""
        self._workers.pop(worker).cancel()
        self._command.balance.set(worker.place, None)
        self._ended = without_gauges(add_up([self._ended, worker.metrics]))

    async def _watch(self, worker: WorkerProcess) -> None:
        """Kill a worker whose event loop stands still.

        For one process a probe of `/health` would do that, and another worker may answer it.
        """
        await worker.start_is_over.wait()
        missed = 0
        while missed < _MISSED_PINGS:
            await asyncio.sleep(self._times.ping_s)
            is_alive = await worker.ask("ping", self._times.ping_s)
            missed = 0 if is_alive else missed + 1
        _LOG.error("the worker %s answers nothing, and is killed", worker.pid)
        worker.kill()

    async def _keep(self, place: _Place) -> None:
        """Start a new worker whenever that of *place* has ended unasked."""
        while True:
            worker = place.worker
            code = await asyncio.shield(worker.ended)
            if place.worker is not worker:
                continue  # it was replaced
            self._failures += 1
            place.short_lives = place.short_lives + 1 if worker.age_s < self._times.healthy_s else 0
            pause_s = self._pause_s(place.short_lives)
            _LOG.error(
                "the worker %s %s; the next one starts in %g s",
                worker.pid,
                _describe_end(code),
                pause_s,
            )
            await asyncio.sleep(pause_s)
            successor = await self._start_in(place)
            if place.worker is worker:
                place.worker = successor
            else:  # it was replaced meanwhile
                successor.stop("retire")

    def _pause_s(self, short_lives: int) -> float:
        """Return the pause before a start, after a number of short lives in a row."""
        if short_lives < 2:
            return 0.0
        factor: int = 1 << min(short_lives - 2, 16)
        return min(self._times.first_pause_s * factor, self._times.longest_pause_s)

    async def _replace_on_demand(self) -> None:
        while True:
            await self._replacement.wait()
            self._replacement.clear()
            await self._replace_all()

    async def _replace_all(self) -> None:
        """Replace one worker after the other, until a new one is not ready."""
        for place in self._places:
            try:
                successor = await self._start()
            except OSError as error:
                _LOG.error("no worker can be started, and no other is replaced: %s", error)
                return
            if fault := await self._find_fault(successor):
                _LOG.error("the new worker %s; no other is replaced", fault)
                successor.stop("retire")
                return
            replaced, place.worker = place.worker, successor
            place.short_lives = 0
            replaced.stop("retire")
            await self._end_within(RETIREMENT_S + self._timeouts.grace_s + STOP_S, [replaced])
        _LOG.info("all workers are replaced")

    async def _find_fault(self, worker: WorkerProcess) -> str | None:
        """Wait until a new worker is ready, and return None, or else the reason to do without it."""
        try:
            async with asyncio.timeout(self._times.start_s):
                await worker.start_is_over.wait()
                while worker.is_running:
                    state = await worker.ask("ready", self._times.answer_s)
                    if state and state["is_ready"]:
                        return None
                    await asyncio.sleep(self._times.look_s)
        except TimeoutError:
            return f"was not ready within {self._times.start_s:g} s"
        return _describe_end(await asyncio.shield(worker.ended))

    async def _stop_all(self) -> None:
        """Let all workers finish their calls at the same time, and end them."""
        for each in self._command.sockets:
            each.close()  # each worker has its own, and closes it after the drain time
        for worker in self._workers:
            worker.stop()
        forcing = asyncio.create_task(self._force_on_demand())
        await self._end_within(self._timeouts.drain_s + self._timeouts.grace_s + STOP_S, list(self._workers))
        forcing.cancel()

    async def _force_on_demand(self) -> None:
        await self._force.wait()
        for worker in self._workers:
            worker.tell("force")

    async def _end_within(self, seconds: float, workers: list[WorkerProcess]) -> None:
        """Wait for the end of *workers*, and kill those that run after their time."""
        if not workers:
            return
        await asyncio.wait([each.ended for each in workers], timeout=seconds + _KILL_S)
        if running := [each for each in workers if each.is_running]:
            _LOG.warning("workers that did not end in time, and are killed: %s", len(running))
            for each in running:
                each.kill()
            await asyncio.wait([each.ended for each in running])

    async def _answer(self, topic: str) -> Any:
        """Return what a worker asks for the whole."""
        if topic == "metrics":
            return await self._take_metrics()
        if topic == "ready":
            return {"wanted": self._count, "states": await self._list_states()}
        return None

    async def _take_metrics(self) -> list[Snapshot]:
        """Return snapshots whose sum is that of all workers, also of those that have ended."""
        living = [each for each in self._workers if each.start_is_over.is_set()]
        await asyncio.gather(*(each.take_metrics(self._times.answer_s) for each in living))
        accepting = sum(each.is_accepting for each in self._workers)
        own = describe_workers(self._count, accepting, self._failures)
        return [own, self._ended, *(each.metrics for each in living if each in self._workers)]

    async def _list_states(self) -> list[Any]:
        """Return the readiness of each worker that accepts connections; none after a stop."""
        accepting = [] if self._stop.is_set() else [each for each in self._workers if each.is_accepting]
        states = await asyncio.gather(*(each.ask("ready", self._times.answer_s) for each in accepting))
        return [state for state in states if state]


def _describe_end(code: int) -> str:
    return f"ended with the exit code {code}" if code >= 0 else f"was ended by the signal {-code}"
