"""Figures of servers as a table on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isinf
from typing import TypeAlias

from rich import filesize
from rich.console import Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from toolaccord_codegen.cli.top.figures import Figures, SourceState, TaskState, Traffic, compute_quantile
from toolaccord_codegen.diagnostics import escape_unprintable, pluralise

_GAP = 2
_NARROWEST_NAME = 14
_HIGHEST_BOUND_S = 60
_MOST_ERRORS = 8
_FEWEST_TOOLS = 3
_FRAME = 6
"""Lines beside the rows of tables: headers, gaps, and the last line."""
_GOOD, _BAD, _DIM, _BOLD = "green", "red", "dim", "bold"


@dataclass(frozen=True, slots=True)
class ServerLine:
    """One of the servers: its calls, or the reason that there are none."""

    name: str
    traffic: Traffic | None
    fault: str | None = None


Column: TypeAlias = tuple[str, Callable[[Traffic], Text]]


def draw(
    title: str, servers: Sequence[ServerLine], figures: Figures, width: int, height: int | None = None
) -> RenderableType:
    """Return a table of *figures*, which are those of all *servers*.

    Without a *height* it has each tool that was called.
    """
    faults = [Text(f"{each.name} {each.fault}", style="yellow") for each in servers if each.fault is not None]
    parts: list[RenderableType] = [Text(title, style=_DIM), *faults]
    called = [each for each in figures.tools if each.total]
    tables = [_draw_errors(figures.errors), _draw_sources(figures.sources), _draw_tasks(figures.tasks)]
    below = [part for table in tables if table.row_count for part in ("", table)]
    if height is not None:
        others = len(parts) + len(servers) + sum(table.row_count + 2 for table in tables) + _FRAME
        called = called[: max(_FEWEST_TOOLS, height - others)]
    parts += ["", _draw_traffic([each.traffic for each in servers if each.traffic], called, width), *below]
    if facts := list(_list_facts(figures, len(called))):
        parts += ["", Text(", ".join(facts), style=_DIM)]
    return Group(*parts)


def _draw_traffic(servers: Sequence[Traffic], tools: Sequence[Traffic], width: int) -> Table:
    """Return a row for each tool, and below them one for each server."""
    rows = [*tools, *servers]
    columns = [(header, list(map(show, rows))) for header, show in _COLUMNS]
    columns = [(header, cells) for header, cells in columns if header in _ALWAYS or any(map(str, cells))]
    while len(columns) > 1 and width - sum(map(_measure, columns)) < _NARROWEST_NAME:
        is_empty = [not any(map(str, cells)) for _, cells in columns]
        columns.pop(max((index for index, each in enumerate(is_empty) if each), default=-1))
    table = _make_table("tool", width - sum(map(_measure, columns)))
    for header, _ in columns:
        table.add_column(header, justify="right", no_wrap=True, vertical="bottom")
    for index, row in enumerate(rows):
        if index == len(tools):
            table.add_row()
        cells = [cells[index] for _, cells in columns]
        table.add_row(_name(row.name), *cells, style=_BOLD if index >= len(tools) else "" if row.calls else _DIM)
    return table


def _measure(column: tuple[str, Sequence[Text]]) -> int:
    """Return the width of a column, with the gap before it."""
    header, cells = column
    return _GAP + max(len(each) for each in (*header.split("\n"), *map(str, cells)))


def _draw_errors(errors: Sequence[tuple[float, str, str]]) -> Table:
    """Return the most frequent errors."""
    table = _make_table("errors/s", justify="right")
    table.add_column("code")
    table.add_column("tool")
    for rate, tool, code in errors[:_MOST_ERRORS]:
        table.add_row(show_rate(rate), Text(escape_unprintable(code), style=_BAD), _name(tool))
    return table


def _draw_sources(sources: Sequence[SourceState]) -> Table:
    table = _make_table("source")
    table.add_column("connections", no_wrap=True)
    table.add_column("circuit", no_wrap=True)
    if any(each.failures for each in sources):
        table.add_column("failures/s", justify="right")
    for each in sources:
        in_use = "" if each.in_use is None else f"{each.in_use:g}"
        used = in_use if each.limit is None else f"{in_use or 0} of {each.limit:g}"
        is_full = each.limit is not None and each.limit <= (each.in_use or 0)
        circuit = Text((each.circuit or "").replace("_", " "), style=_GOOD if each.circuit == "closed" else _BAD)
        cells = [_name(each.name), Text(used, style=_BAD if is_full else ""), circuit, _alarm(show_rate(each.failures))]
        table.add_row(*cells[: len(table.columns)])
    return table


def _draw_tasks(tasks: Sequence[TaskState]) -> Table:
    table = _make_table("task")
    table.add_column("running", justify="right")
    table.add_column("waiting", justify="right")
    table.add_column("left/s")
    for each in tasks:
        ended = ", ".join(f"{show_rate(rate)} {status.replace('_', ' ')}" for status, rate in each.ended.items())
        table.add_row(_name(each.name), f"{each.running:g}", f"{each.waiting:g}", ended)
    return table


def _make_table(first: str, width: int | None = None, justify: JustifyMethod = "left") -> Table:
    """Return a table without lines; texts of its *first* column end where it is too wide."""
    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style=_DIM)
    table.add_column(first, no_wrap=True, overflow="ellipsis", max_width=width, vertical="bottom", justify=justify)
    return table


def _name(text: str) -> Text:
    return Text(escape_unprintable(text))


def _list_facts(figures: Figures, shown: int) -> Iterator[str]:
    if rest := len(figures.tools) - shown:
        is_idle = not any(each.total for each in figures.tools[shown:])
        yield f"{pluralise(rest, 'more tool')}{' without a call' if is_idle else ''}"
    if figures.sessions is not None:
        yield pluralise(int(figures.sessions), "session")
    if figures.cache_bytes:
        yield f"{filesize.decimal(int(figures.cache_bytes))} of cached results"


def show_rate(value: float) -> str:
    """Return a rate with two or three digits; nothing for none."""
    if not value:
        return ""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def show_duration(seconds: float | None) -> str:
    """Return seconds with two or three digits and a unit; nothing without any."""
    if seconds is None:
        return ""
    if isinf(seconds):
        return f">{_HIGHEST_BOUND_S} s"
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1000:.2g} ms" if seconds < 0.01 else f"{seconds * 1000:.0f} ms"


def _alarm(text: str) -> Text:
    return Text(text, style=_BAD)


def _quantile(share: float) -> Callable[[Traffic], Text]:
    return lambda each: Text(show_duration(compute_quantile(each.buckets, share)))


_COLUMNS: Sequence[Column] = (
    ("calls/s", lambda each: Text(show_rate(each.calls) or "0")),
    ("p50", _quantile(0.5)),
    ("p95", _quantile(0.95)),
    ("errors/s", lambda each: _alarm(show_rate(each.errors))),
    ("in\nflight", lambda each: Text(f"{each.in_flight:g}" if each.in_flight else "")),
    ("cached", lambda each: Text(f"{each.hits / each.lookups:.0%}" if each.lookups else "")),
    ("rejected\n/s", lambda each: _alarm(show_rate(each.rejected))),
)
"""Columns in the order in which a narrow terminal keeps them; it drops empty ones first."""
_ALWAYS = {"calls/s", "p50", "p95", "errors/s", "in\nflight"}
