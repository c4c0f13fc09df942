"""The demo's output: a table of scenes for each server, and a sentence at the end."""

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from sandbox.demo.scenes import Scene

FRESHNESS = {True: "hit", False: "miss", None: ""}


def table(title: str, scenes: Sequence[Scene]) -> Table:
    """Return the table of one server's scenes; rich omits colours where there is no terminal."""
    shown = Table(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    shown.add_column("")
    shown.add_column("shows")
    shown.add_column("call", style="cyan", overflow="fold")
    shown.add_column("ms", justify="right")
    shown.add_column("cache")
    shown.add_column("answer", overflow="fold")
    for scene in scenes:
        shown.add_row(*_row(scene))
    return shown


def conclusion(scenes: Sequence[Scene]) -> Text:
    """Return the sentence that counts the scenes, and lists those without their expected answer."""
    wrong = [scene for scene in scenes if not scene.as_expected]
    if not wrong:
        return Text(f"{len(scenes)} calls, every answer as promised.", style="green")
    lines = [f"{scene.call}: promised {scene.expected}, got {scene.answer.kind}" for scene in wrong]
    return Text("\n".join([f"{len(wrong)} of {len(scenes)} answers are not as promised:", *lines]), style="red")


def _row(scene: Scene) -> tuple[Text, ...]:
    answer = scene.answer
    mark = Text("ok", style="green") if scene.as_expected else Text("NO", style="bold red")
    code = Text("" if answer.kind == "result" else f"{answer.kind}  ", style="yellow")
    cells = (scene.shows, scene.call, f"{scene.latency_ms:.1f}", FRESHNESS[answer.cached])
    return mark, *(Text(cell) for cell in cells), code + Text(answer.summary, style="")
