"""Tables of measurements of tasks."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.tasks.compare import Figures
from benchmarks.tasks.outages import Run


def outage_lines(runs: Sequence[Run]) -> Iterator[str]:
    """Yield a table with a column for each store."""
    yield f"| | {' | '.join(run.kind for run in runs)} |"
    yield f"|---|{'---:|' * len(runs)}"
    rows: dict[str, list[float]] = {
        "acknowledged tasks": [len(run.stories) for run in runs],
        "kills": [sum(run.kills.values()) for run in runs],
        "creates without an acknowledgement": [sum(run.rejected.values()) for run in runs],
        "ended": [sum(_ends(run).values()) for run in runs],
        "completed": [_ends(run)["completed"] for run in runs],
        "failed": [_ends(run)["failed"] for run in runs],
        "entries": [sum(run.entries.values()) for run in runs],
        "entries beyond the first of a task": [sum(count - 1 for count in run.entries.values()) for run in runs],
        "seconds to the end, median": [_quantile(run, 0.5) for run in runs],
        "seconds to the end, longest": [_quantile(run, 1.0) for run in runs],
    }
    for name, values in rows.items():
        yield f"| {name} | {' | '.join(f'{value:,}' for value in values)} |"


_ROWS = {
    "tasks a second, twenty callers": "rate",
    "create to completed, median, ms": "latency_ms",
    "processor of the server for a task with its polls, ms": "processor_ms",
    "processor of the server for a poll, ms": "poll_ms",
    "processor of the server without tasks, ms a second": "idle_ms",
    "commands to Redis without tasks, a second": "idle_commands",
    "Redis for each of 10,000 waiting tasks, bytes": "redis_bytes",
    "server for each of 10,000 waiting tasks, bytes": "server_bytes",
}


def comparison_lines(figures: Mapping[str, Sequence[Figures]]) -> Iterator[str]:
    """Yield a table with a column for each server, of the medians of its rounds."""
    yield f"| | {' | '.join(figures)} |"
    yield f"|---|{'---:|' * len(figures)}"
    for title, name in _ROWS.items():
        medians = [statistics.median(getattr(each, name) for each in rounds) for rounds in figures.values()]
        yield f"| {title} | {' | '.join(f'{median:,.4g}' for median in medians)} |"


def _ends(run: Run) -> Counter[str]:
    return Counter(story.states[-1] for story in run.stories if story.states)


def _quantile(run: Run, part: float) -> float:
    times = sorted(story.ended_s - story.created_s for story in run.stories)
    return round(times[min(len(times) - 1, int(part * len(times)))], 1)
