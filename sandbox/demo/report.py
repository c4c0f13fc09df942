"""The demo's output of all calls: a block for each call, and a summary at the end."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sandbox.demo.calls import RecordedCall

FRESHNESS = {True: "hit", False: "miss", None: ""}
"""The column of the cache."""


def build_block(title: str, calls: Sequence[RecordedCall]) -> RenderableType:
    """Return the calls to one server; long lines wrap at words, to the terminal's width."""
    return Group("", Text(title, style="bold"), *map(_show_call, calls))


def _show_call(call: RecordedCall) -> RenderableType:
    """Return purpose, time and cache, and below them the call and its answer."""
    code = Text("" if call.answer.kind == "result" else f"{call.answer.kind}  ", style="yellow")
    details = Group(Text(call.call, style="cyan"), code + Text(call.answer.summary, style=""))
    return Group(build_line(call, Text(call.purpose)), Padding(details, (0, 0, 0, 4)))


def build_line(call: RecordedCall, *cells: Text) -> Table:
    """Return a line with the call's mark, *cells*, its time, and its cache hit.

    Of several cells each is wider than the one before.
    """
    line = Table.grid(padding=(0, 1), expand=True)
    line.add_column(width=2)
    for ratio, _ in enumerate(cells, 2):
        line.add_column(ratio=ratio)
    line.add_column(width=9, justify="right")
    line.add_column(width=4)
    line.add_row(mark(call), *cells, f"{call.latency_ms:.1f} ms", Text(FRESHNESS[call.cached], style="green"))
    return line


def mark(call: RecordedCall) -> Text:
    """Return the mark of a kept or broken promise."""
    return Text("ok", style="green") if call.is_expected else Text("NO", style="bold red")


def summarise(calls: Sequence[RecordedCall]) -> Text:
    """Return the sentence that counts the calls, and lists those without their expected answer."""
    wrong = [call for call in calls if not call.is_expected]
    if not wrong:
        hits = sum(call.cached is True for call in calls)
        return Text(f"{len(calls)} calls, every answer as promised, {hits} from a cache.", style="green")
    lines = [f"{call.call}: promised {call.expected}, got {call.answer.kind}" for call in wrong]
    return Text("\n".join([f"{len(wrong)} of {len(calls)} answers are not as promised:", *lines]), style="red")
