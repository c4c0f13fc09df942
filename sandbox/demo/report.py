"""The demo's output: a table of calls for each server, and a summary at the end."""

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from sandbox.demo.calls import RecordedCall

FRESHNESS = {True: "hit", False: "miss", None: ""}


def build_table(title: str, calls: Sequence[RecordedCall]) -> Table:
    """Return the table of one server's calls; rich omits colours where there is no terminal."""
    shown = Table(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    shown.add_column("")
    shown.add_column("shows")
    shown.add_column("call", style="cyan", overflow="fold")
    shown.add_column("ms", justify="right")
    shown.add_column("cache")
    shown.add_column("answer", overflow="fold")
    for call in calls:
        shown.add_row(*_row(call))
    return shown


def summarise(calls: Sequence[RecordedCall]) -> Text:
    """Return the sentence that counts the calls, and lists those without their expected answer."""
    wrong = [call for call in calls if not call.is_expected]
    if not wrong:
        return Text(f"{len(calls)} calls, every answer as promised.", style="green")
    lines = [f"{call.call}: promised {call.expected}, got {call.answer.kind}" for call in wrong]
    return Text("\n".join([f"{len(wrong)} of {len(calls)} answers are not as promised:", *lines]), style="red")


def _row(call: RecordedCall) -> tuple[Text, ...]:
    answer = call.answer
    mark = Text("ok", style="green") if call.is_expected else Text("NO", style="bold red")
    code = Text("" if answer.kind == "result" else f"{answer.kind}  ", style="yellow")
    cells = (call.purpose, call.call, f"{call.latency_ms:.1f}", FRESHNESS[answer.cached])
    return mark, *(Text(cell) for cell in cells), code + Text(answer.summary, style="")
