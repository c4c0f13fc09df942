"""docs/benchmarks.svg: targets, throughput, latency, start, memory, and how costs grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from benchmarks import rounds
from benchmarks.contenders import FASTMCP, FASTMCP_CACHE, LOWLEVEL, MCPSERVER, RECORDS, REFERENCE, TOOLACCORD
from benchmarks.figures import Bound, Target, number, percentile, ratios, spread
from benchmarks.page.targets import TARGETS
from benchmarks.rounds import Measured
from benchmarks.sizes import Growth

_FROM = {True: "cached", False: "handler"}
_COLOURS = {
    TOOLACCORD: "#0b6e4f",
    RECORDS: "#3d9970",
    REFERENCE: "#a3d1bd",
    LOWLEVEL: "#3b6fb6",
    MCPSERVER: "#8fb4e3",
    FASTMCP: "#d1603d",
    FASTMCP_CACHE: "#f0b29b",
}
_THROUGHPUT = {
    "stdio\ncached": rounds.PIPELINED_CACHED,
    "stdio\nhandler": rounds.PIPELINED,
    **{f"HTTP\n{era.value}\n{_FROM[cached]}": measure for (era, cached), measure in rounds.HTTP.items()},
}
_SHARES = range(1, 101)
_STEPS = ("#333333", "#7a5195", "#bc8f00")
_WIDTHS = {True: 2.5, False: 1.3}
"""Widths of lines, by whether they are toolaccord's."""
_MET = {True: "#0b6e4f", False: "#c0392b"}
_STYLE = {
    "svg.hashsalt": "toolaccord",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "axes.axisbelow": True,
    "svg.fonttype": "path",
}


def draw(measured: Measured, growths: Sequence[Growth], path: Path) -> None:
    """Write the picture to *path*."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(15, 18), layout="constrained")
        # Separate rows, so that long names in one take no space in another.
        rows = figure.subfigures(4, 1, height_ratios=(1.4, 1.05, 1, 1))
        targets, throughput = rows[0].subplots(1, 2, width_ratios=(1, 1.15))
        start, memory, calls, pages, *growing = (panel for row in rows[1:] for panel in row.subplots(1, 3))
        _targets(targets, measured)
        _throughput(throughput, measured)
        _bars(start, "Start to the first tools/list answer, s", measured, rounds.LISTED_S)
        _bars(memory, "Resident memory, idle, MiB", measured, rounds.IDLE_MIB)
        _latency(calls, "Sequential call over stdio, handler", measured.latencies[rounds.CALL_MS])
        _latency(pages, "Page of 1,000 candles over stdio, handler", measured.latencies[rounds.PAGE_MS])
        for panel, growth in zip(growing, growths, strict=True):
            _growth(panel, growth)
        handles, names = throughput.get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False, fontsize=11)
        figure.savefig(path, metadata={"Date": None})


def _targets(panel: Any, measured: Measured) -> None:
    """Draw the factor by which each target is surpassed or missed."""
    for place, target in enumerate(TARGETS):
        found = spread(ratios(measured.samples[target.measure], TOOLACCORD, target))
        low, factor, high = sorted(_factor(target, ratio) for ratio in (found.low, found.median, found.high))
        colour = _MET[target.met(found.median)]
        panel.plot([1, factor], [place, place], color=colour, linewidth=6, alpha=0.35, solid_capstyle="butt")
        panel.errorbar(
            factor, place, xerr=[[factor - low], [high - factor]], color=colour, marker="o", markersize=5, capsize=3
        )
        label = f"{number(found.median)} {target.bound.value} {target.ratio:g}"
        panel.annotate(label, (1.01, place), xycoords=("axes fraction", "data"), va="center", color=colour)
    panel.axvline(1, color="#333333", linewidth=1.2, linestyle="--")
    panel.set_yticks(
        range(len(TARGETS)), [target.title.replace("`", "").rpartition(", ")[0] or target.title for target in TARGETS]
    )
    panel.invert_yaxis()
    _logarithmic(panel.xaxis)
    panel.set_title("Targets: factor by which they are surpassed; met right of the line", loc="left")


def _factor(target: Target, ratio: float) -> float:
    """Return the factor by which a ratio is better than its target."""
    return target.ratio / ratio if target.bound is Bound.AT_MOST else ratio / target.ratio


def _throughput(panel: Any, measured: Measured) -> None:
    names = list(measured.samples[rounds.PIPELINED])
    width = 0.84 / len(names)
    for place, name in enumerate(names):
        heights = [spread(measured.samples[measure][name]).median for measure in _THROUGHPUT.values()]
        places = [kind + place * width for kind in range(len(heights))]
        bars = panel.bar(places, heights, width, color=_COLOURS[name], label=name)
        if name == TOOLACCORD:
            panel.bar_label(bars, labels=[number(height) for height in heights], padding=2, fontsize=8)
    panel.set_xticks([kind + 0.42 - width / 2 for kind in range(len(_THROUGHPUT))], list(_THROUGHPUT))
    _logarithmic(panel.yaxis)
    panel.set_title("Calls a second", loc="left")


def _latency(panel: Any, title: str, latencies: Mapping[str, Sequence[float]]) -> None:
    for name, durations in latencies.items():
        within = [percentile(durations, share / 100) for share in _SHARES]
        panel.plot(within, _SHARES, color=_COLOURS[name], linewidth=_WIDTHS[name == TOOLACCORD])
    _logarithmic(panel.xaxis)
    panel.set_title(title, loc="left")
    panel.set_xlabel("ms")
    panel.set_ylabel("% of calls answered within")


def _bars(panel: Any, title: str, measured: Measured, measure: str) -> None:
    """Draw medians and quartiles, and the targets as multiples of a rival's median."""
    spreads = {name: spread(numbers) for name, numbers in measured.samples[measure].items()}
    medians = [each.median for each in spreads.values()]
    errors = [
        [each.median - each.low for each in spreads.values()],
        [each.high - each.median for each in spreads.values()],
    ]
    bars = panel.barh(list(spreads), medians, xerr=errors, color=[_COLOURS[name] for name in spreads], ecolor="#555555")
    behind = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8}
    panel.bar_label(bars, labels=[number(median) for median in medians], padding=6, bbox=behind)
    for target in TARGETS:
        if target.measure == measure:
            rival = target.rivals[0]
            panel.axvline(target.ratio * spreads[rival].median, color=_COLOURS[rival], linewidth=1.5, linestyle="--")
            panel.plot([], [], color=_COLOURS[rival], linestyle="--", label=f"target: {target.ratio:g} x {rival}")
    panel.legend(loc="upper left", bbox_to_anchor=(0, -0.08), ncols=2, frameon=False)
    panel.invert_yaxis()
    panel.margins(x=0.18)
    panel.set_title(title, loc="left")


def _growth(panel: Any, growth: Growth) -> None:
    colours = _COLOURS | dict(zip((name for name in growth.numbers if name not in _COLOURS), _STEPS, strict=False))
    for name, numbers in growth.numbers.items():
        label = None if name in _COLOURS else name
        width = _WIDTHS[name == TOOLACCORD]
        panel.plot(growth.sizes, numbers, marker="o", markersize=3, color=colours[name], label=label, linewidth=width)
    _logarithmic(panel.xaxis)
    _logarithmic(panel.yaxis)
    panel.set_xticks(growth.sizes, [f"{size:,}" for size in growth.sizes])
    panel.set_title(growth.title, loc="left")
    panel.set_ylabel(growth.unit.replace("`", ""))
    if not any(name in _COLOURS for name in growth.numbers):
        panel.legend(frameon=False, fontsize=8)


def _logarithmic(axis: Any) -> None:
    """Make *axis* logarithmic, with plain numbers."""
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())
