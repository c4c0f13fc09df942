"""The judgement of a run, and its tables in Markdown."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import wrap

from benchmarks.figures import percentile
from benchmarks.outages.callers import PROXY, SILENT, Attempt, Call
from benchmarks.outages.outage_run import Outage, Run, Stored

SETTLING_S = 2.5
"""Seconds after its return in which a part counts as missing.

Open circuits and `/ready` pause for one each.
"""
BEFORE_S = 0.1
"""Seconds before a kill in which a call may be on its way when it comes."""
ALLOWANCE_S = 0.25
"""Seconds beyond its deadline in which an answer may come through the proxy."""
LAG_S = 0.02
"""Largest 99th percentile of the generator's lag; a run with more does not count."""
QUIET = "no part is missing"


def find_breaches(run: Run, allowance_s: float = ALLOWANCE_S) -> Iterator[str]:
    """Yield a sentence for each promise that was broken.

    Answers may come *allowance_s* after the deadlines.
    """
    for call in run.calls:
        yield from _find_undeclared(call, run.outages, allowance_s)
    yield from _find_writes(run.calls, run.stored, "after the run")
    for call in run.repeated:
        if call.outcome:
            yield f"{call.kind.tool} {call.number}, repeated after the run: {call.outcome}"
    at_last = {(call.kind.tool, call.number): call for call in run.repeated}
    calls = [at_last.get((call.kind.tool, call.number), call) for call in run.calls]
    yield from _find_writes(calls, run.stored_at_last, "after repetitions")


def find_missed_targets(run: Run) -> Iterator[str]:
    """Yield a sentence for each tool that missed its target while no part was missing."""
    for tool, calls in _by_tool(_during(run, None)):
        p95_s, target_s = _percentile(calls, 0.95), calls[0].kind.target_s
        if not p95_s <= target_s:
            yield f"{tool}: p95 {p95_s * 1000:.0f} ms while no part was missing, above {target_s * 1000:.0f} ms"


def find_lag(run: Run) -> Iterator[str]:
    """Yield a sentence if the generator was so late that the run does not count."""
    if (late_s := lag_s(run, 0.99)) > LAG_S:
        yield f"the generator was late by {late_s * 1000:.0f} ms (p99): other programs ran, and no time here counts"


def lag_s(run: Run, share: float) -> float:
    """Return a percentile of the seconds by which calls were sent late."""
    return percentile([call.late_s for call in run.calls], share)


def _find_undeclared(call: Call, outages: Sequence[Outage], allowance_s: float) -> Iterator[str]:
    for attempt in call.attempts:
        if complaint := _complain(call, attempt, outages, allowance_s):
            yield f"{call.kind.tool} {call.number}: {complaint}, {attempt.sent_s:.2f} s after the begin"


def _complain(call: Call, attempt: Attempt, outages: Sequence[Outage], allowance_s: float) -> str | None:
    """Return the reason why an attempt breaks a promise; None if it does not."""
    outcome = attempt.outcome
    if outcome == SILENT or attempt.took_s > call.kind.deadline_s + allowance_s:
        return f"{outcome or 'a result'} after {attempt.took_s:.2f} s, beyond the deadline"
    if outcome.startswith(PROXY):
        is_excused = any(
            attempt.sent_s < each.back_s + SETTLING_S and each.killed_s < attempt.sent_s + attempt.took_s
            for each in outages
        )
        return None if is_excused else f"{outcome} while no part was missing"
    return f"{outcome} is no code for an outage" if outcome and outcome not in call.kind.codes else None


def _find_writes(calls: Sequence[Call], stored: Stored, when: str) -> Iterator[str]:
    for call in calls:
        if not call.kind.read_identity:
            continue
        found = stored[call.kind.tool].get(str(call.number), ())
        if call.identity is not None and list(found) != [call.identity]:
            yield f"{call.kind.tool} {call.number}, {when}: acknowledged {call.identity}, stored {list(found)}"
        elif len(found) > 1:
            yield f"{call.kind.tool} {call.number}, {when}: never acknowledged, stored {list(found)}"


def _during(run: Run, outage: Outage | None) -> list[Call]:
    """Return the calls that were due during *outage*, or while no part was missing."""
    newest_first = run.outages[::-1]
    return [
        call for call in run.calls if next((each for each in newest_first if _is_during(call, each)), None) == outage
    ]


def _is_during(call: Call, outage: Outage) -> bool:
    return outage.killed_s - BEFORE_S <= call.intended_s < outage.back_s + SETTLING_S


def _by_tool(calls: Sequence[Call]) -> Iterator[tuple[str, list[Call]]]:
    for tool in dict.fromkeys(call.kind.tool for call in calls):
        yield tool, [call for call in calls if call.kind.tool == tool]


def _percentile(calls: Sequence[Call], share: float) -> float:
    """Return a percentile of the seconds from intended time to result."""
    return percentile([call.latency_s for call in calls if not call.outcome] or [math.nan], share)


def page(run: Run) -> Iterator[str]:
    """Yield the lines of the report."""
    yield from _conditions(run)
    yield ""
    yield from _tools(run)
    yield ""
    yield from _outages(run)
    yield ""
    yield from _writes(run)


def _conditions(run: Run) -> Iterator[str]:
    of_peak = f", {run.rate / run.peak:.0%} of the {run.peak:.0f} that 16 callers got in turn" if run.peak else ""
    text = (
        f"{run.plan.callers} callers offered {len(run.calls):,} calls in {run.calls[-1].intended_s:.0f} s: {run.rate:.0f} a "
        f"second{of_peak}. The generator sent them late by {lag_s(run, 0.5) * 1000:.1f} ms (p50), "
        f"{lag_s(run, 0.99) * 1000:.1f} ms (p99) and {lag_s(run, 1) * 1000:.1f} ms at most."
    )
    yield from wrap(text, 120)


def _tools(run: Run) -> Iterator[str]:
    yield "| while no part is missing | calls | results | p50 ms | p95 ms | p99 ms | target for p95 |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for tool, calls in _by_tool(_during(run, None)):
        p50, p95, p99 = (_percentile(calls, share) * 1000 for share in (0.5, 0.95, 0.99))
        results = sum(not call.outcome for call in calls)
        target = calls[0].kind.target_s * 1000
        yield f"| `{tool}` | {len(calls)} | {results} | {p50:.0f} | {p95:.0f} | {p99:.0f} | {target:.0f} |"


def _outages(run: Run) -> Iterator[str]:
    yield "| killed | missing for s | last failure after its return, s | calls | results at once | after repetitions | p50 ms | p95 ms | failed attempts |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---|"
    for outage in (*run.outages, None):
        calls = _during(run, outage)
        results = [call for call in calls if not call.outcome]
        at_once = sum(len(call.attempts) == 1 for call in results)
        p50, p95 = (_percentile(calls, share) * 1000 for share in (0.5, 0.95))
        away = f"{outage.back_s - outage.killed_s:.1f} | {_last_failure_s(run, outage):.1f}" if outage else " | "
        yield (
            f"| {outage.name if outage else QUIET} | {away} | {len(calls)} | {at_once} | {len(results) - at_once} "
            f"| {p50:.0f} | {p95:.0f} | {_failures(calls)} |"
        )


def _last_failure_s(run: Run, outage: Outage) -> float:
    """Return the seconds from the return of a part to the last failed attempt; 0 without one."""
    end_s = min((each.killed_s for each in run.outages if each.killed_s > outage.back_s), default=math.inf)
    failed = [attempt.sent_s for call in run.calls for attempt in call.attempts if attempt.outcome]
    return max((sent_s - outage.back_s for sent_s in failed if outage.back_s < sent_s < end_s), default=0.0)


def _failures(calls: Sequence[Call]) -> str:
    """Return the number of attempts without a result, by tool and outcome."""
    failed = Counter(
        (call.kind.tool, attempt.outcome) for call in calls for attempt in call.attempts if attempt.outcome
    )
    return (
        ", ".join(f"{number} `{outcome}` of `{tool}`" for (tool, outcome), number in sorted(failed.items())) or "none"
    )


def _writes(run: Run) -> Iterator[str]:
    yield "| writes | acknowledged | stored once | not acknowledged | stored once | stored twice | repeated after the run | stored once at last |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for tool, calls in _by_tool([call for call in run.calls if call.kind.read_identity]):
        stored, at_last = run.stored[tool], run.stored_at_last[tool]
        times = Counter((call.identity is not None, len(stored.get(str(call.number), ()))) for call in calls)
        repeated = sum(call.kind.tool == tool for call in run.repeated)
        once = sum(len(at_last.get(str(call.number), ())) == 1 for call in calls)
        acknowledged = sum(number for (is_known, _), number in times.items() if is_known)
        twice = sum(number for (_, each), number in times.items() if each > 1)
        yield (
            f"| `{tool}` | {acknowledged} | {times[True, 1]} | {len(calls) - acknowledged} | {times[False, 1]} "
            f"| {twice} | {repeated} | {once} |"
        )
