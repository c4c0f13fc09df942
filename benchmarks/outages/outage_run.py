"""A run: the peak, the calls, the kills in turn, and what was stored in the end."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from benchmarks.outages.callers import Call, Callers, plan
from benchmarks.outages.kinds import Kind, read_kinds
from benchmarks.outages.system import Fault, System, running
from benchmarks.pace import log_progress

Stored = Mapping[str, Mapping[str, Sequence[str]]]
"""The identities that were written, by tool and number."""
WARM_UP_S = 2.0
EXTRA = 1_000_000
"""The number of the first call beside the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The times of a run."""

    callers: int = 500
    seconds: float = 60.0
    """Seconds for which calls are offered; longer on a machine where starts take long."""
    first_s: float = 4.0
    """Seconds until the first kill."""
    every_s: float = 9.0
    """Seconds from one kill to the next."""
    down_s: float = 3.0
    """Seconds from a kill to the next start."""
    quiet_s: float = 3.0
    """Least seconds from a return to the next kill, and to the end."""
    rate: float | None = None
    """Calls a second; by default *share* of the peak, which is measured first."""
    share: float = 0.5
    peak_s: float = 5.0
    """Seconds for which the peak is measured."""
    peak_callers: int = 16
    """Callers who then call one call after the other."""


@dataclass(frozen=True, slots=True)
class Outage:
    """A fault, in seconds since the begin of the run."""

    name: str
    killed_s: float
    back_s: float
    """The time at which the part listened again."""


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run."""

    plan: Plan
    peak: float | None
    """Results a second of callers who wait for each answer; None if they were not measured."""
    rate: float
    calls: Sequence[Call]
    outages: Sequence[Outage]
    stored: Stored
    """After the run."""
    repeated: Sequence[Call]
    """Calls with the keys of writes that were not acknowledged, or not at once, after the run."""
    stored_at_last: Stored
    """After those."""


async def run(haproxy: Path, folder: Path, chosen: Plan) -> Run:
    """Run the system in *folder*, and kill its parts while callers call. Raises TimeoutError."""
    kinds = read_kinds()
    log_progress("outages: starts the replicas and their backends")
    async with running(haproxy, folder) as system:
        with Callers(system.ports).closing() as callers:
            peak = await _measure_peak(callers, kinds, chosen)
            rate = chosen.rate or round(chosen.share * peak)
            await callers.connect(chosen.callers)
            log_progress(f"outages: {chosen.callers} callers offer {rate:.0f} calls a second")
            planned = plan(kinds, chosen.callers, rate)
            calls, outages = await _call_while_parts_are_killed(system, callers, planned, chosen)
            stored = await system.stored()
            repeated = await _repeat(callers, calls)
            return Run(chosen, peak or None, rate, calls, outages, stored, repeated, await system.stored())


async def _measure_peak(callers: Callers, kinds: Sequence[Kind], chosen: Plan) -> float:
    """Return the results a second; only warm up if the rate is given."""
    await _call_in_turn(callers, kinds, chosen.peak_callers, WARM_UP_S)
    return 0.0 if chosen.rate else await _call_in_turn(callers, kinds, chosen.peak_callers, chosen.peak_s)


_NUMBERS = count(EXTRA)


async def _call_in_turn(callers: Callers, kinds: Sequence[Kind], number: int, seconds: float) -> float:
    """Let *number* callers call one call after the other; return the results a second."""
    start = time.perf_counter()

    async def call_on(caller: int) -> int:
        results = 0
        while (now := time.perf_counter() - start) < seconds:
            each = next(_NUMBERS)
            call = Call(kinds[each % len(kinds)], each, caller, now)
            await callers.make(call, start)
            results += not call.outcome
        return results

    return sum(await asyncio.gather(*(call_on(-1 - caller) for caller in range(number)))) / seconds


async def _call_while_parts_are_killed(
    system: System, callers: Callers, planned: Iterator[Call], chosen: Plan
) -> tuple[Sequence[Call], Sequence[Outage]]:
    """Offer calls for the seconds of the plan, and on until each part is back."""
    gc.collect()
    gc.freeze()
    start = time.perf_counter()
    killing = asyncio.create_task(_kill_in_turn(system.faults, start, chosen))
    try:
        calls = await callers.offer(planned, start, lambda call: call.intended_s >= chosen.seconds and killing.done())
        return calls, await killing
    finally:
        killing.cancel()
        gc.unfreeze()


async def _kill_in_turn(faults: Sequence[Fault], start: float, chosen: Plan) -> Sequence[Outage]:
    """Kill each part at its time, or *quiet_s* after the one before is back."""
    outages: list[Outage] = []
    for number, fault in enumerate(faults):
        earliest_s = outages[-1].back_s + chosen.quiet_s if outages else 0.0
        due_s = max(chosen.first_s + number * chosen.every_s, earliest_s)
        await asyncio.sleep(start + due_s - time.perf_counter())
        killed_s = time.perf_counter() - start
        log_progress(f"outages: kills {fault.name}")
        await fault.kill()
        await asyncio.sleep(start + killed_s + chosen.down_s - time.perf_counter())
        await fault.start()
        outages.append(Outage(fault.name, killed_s, time.perf_counter() - start))
    await asyncio.sleep(chosen.quiet_s)
    return outages


async def _repeat(callers: Callers, calls: Sequence[Call]) -> Sequence[Call]:
    """Send those writes once more that were not acknowledged at the first attempt."""
    repeated = [
        Call(call.kind, call.number, call.caller, 0.0)
        for call in calls
        if call.kind.read_identity and (call.outcome or len(call.attempts) > 1)
    ]
    start = time.perf_counter()
    for call in repeated:
        await callers.make(call, start)
    return repeated
