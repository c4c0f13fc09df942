"""docs/benchmarks.svg: throughput, latency, start, memory, and four ways of growing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from benchmarks import rounds
from benchmarks.contenders import FASTMCP, FASTMCP_CACHE, LOWLEVEL, MCPSERVER, REFERENCE, TOOLPACT
from benchmarks.figures import spread
from benchmarks.rounds import Measured
from benchmarks.sizes import Growth

_COLOURS = {
    TOOLPACT: "#0b6e4f",
    REFERENCE: "#73b89b",
    LOWLEVEL: "#3b6fb6",
    MCPSERVER: "#8fb4e3",
    FASTMCP: "#d1603d",
    FASTMCP_CACHE: "#f0b29b",
}
_THROUGHPUT = {
    "stdio\ncached": rounds.PIPELINED_CACHED,
    "stdio\nhandler": rounds.PIPELINED,
    "HTTP\ncached": rounds.HTTP_CACHED,
    "HTTP\nhandler": rounds.HTTP,
}
_STYLE = {
    "svg.hashsalt": "toolpact",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "axes.axisbelow": True,
}


def draw(measured: Measured, growths: Sequence[Growth], path: Path) -> None:
    """Write the picture to *path*."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(13, 10), layout="constrained")
        axes = figure.subplots(3, 3).flat
        _throughput(axes[0], measured)
        _latency(axes[1], "Sequential call over stdio, handler", measured.latencies[rounds.CALL_MS])
        _latency(axes[2], "Page of 1,000 candles over stdio, handler", measured.latencies[rounds.PAGE_MS])
        _bars(axes[3], "Start to the first tools/list answer, s", measured.samples[rounds.LISTED_S])
        _bars(axes[4], "Resident memory, idle, MiB", measured.samples[rounds.IDLE_MIB])
        for panel, growth in zip(list(axes)[5:], growths, strict=False):
            _growth(panel, growth)
        handles, names = axes[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False)
        figure.savefig(path, metadata={"Date": None})


def _throughput(panel: Any, measured: Measured) -> None:
    names = list(measured.samples[rounds.PIPELINED])
    width = 0.8 / len(names)
    for place, name in enumerate(names):
        heights = [spread(measured.samples[measure][name]).median for measure in _THROUGHPUT.values()]
        panel.bar(
            [kind + place * width for kind in range(len(heights))], heights, width, color=_COLOURS[name], label=name
        )
    panel.set_xticks([kind + 0.4 - width / 2 for kind in range(len(_THROUGHPUT))], list(_THROUGHPUT))
    _logarithmic(panel.yaxis)
    panel.set_title("Calls a second")


def _latency(panel: Any, title: str, latencies: Mapping[str, Sequence[float]]) -> None:
    for name, took in latencies.items():
        ordered = sorted(took)
        panel.plot(ordered, [100 * (place + 1) / len(ordered) for place in range(len(ordered))], color=_COLOURS[name])
    _logarithmic(panel.xaxis)
    panel.set_title(title)
    panel.set_xlabel("ms")
    panel.set_ylabel("% of calls answered within")


def _bars(panel: Any, title: str, samples: Mapping[str, Sequence[float]]) -> None:
    spreads = {name: spread(numbers) for name, numbers in samples.items()}
    medians = [each.median for each in spreads.values()]
    errors = [
        [each.median - each.low for each in spreads.values()],
        [each.high - each.median for each in spreads.values()],
    ]
    bars = panel.barh(list(spreads), medians, xerr=errors, color=[_COLOURS[name] for name in spreads], ecolor="#555555")
    panel.bar_label(bars, fmt="%.3g", padding=4)
    panel.invert_yaxis()
    panel.margins(x=0.15)
    panel.set_title(title)


def _growth(panel: Any, growth: Growth) -> None:
    for name, numbers in growth.numbers.items():
        known = _COLOURS.get(name)
        panel.plot(growth.sizes, numbers, marker="o", markersize=3, color=known, label=None if known else name)
    _logarithmic(panel.xaxis)
    _logarithmic(panel.yaxis)
    panel.set_xticks(growth.sizes, [f"{size:,}" for size in growth.sizes])
    panel.set_title(growth.title)
    panel.set_ylabel(growth.unit.replace("`", ""))
    if not any(name in _COLOURS for name in growth.numbers):
        panel.legend(frameon=False, fontsize=8)


def _logarithmic(axis: Any) -> None:
    """Have *axis* grow by factors, with numbers that are read at once."""
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())
