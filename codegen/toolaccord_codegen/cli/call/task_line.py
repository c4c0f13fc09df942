"""A line on the terminal with the progress of a task."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from toolaccord.client.task_states import TaskState
from toolaccord_codegen.cli.servers.terminal import StatusLine
from toolaccord_codegen.diagnostics import escape_lines

if TYPE_CHECKING:
    from rich.progress import Progress


class TaskLine(StatusLine):
    """A status line that becomes a bar; none outside a terminal."""

    def __init__(self) -> None:
        super().__init__()
        self._bar: Progress | None = None

    def show_state(self, state: TaskState) -> None:
        """Show a state instead of the one before."""
        if not sys.stderr.isatty():
            return
        if self._bar is None:
            self.hide()
            self._bar = _make_bar()
        total = state.progress.total
        is_known = total is not None and state.progress.done is not None
        self._bar.update(
            self._bar.task_ids[0],
            description=describe(state),
            completed=state.progress.done if is_known else 0,
            total=total if is_known else None,
        )
        self._bar.start()

    def hide(self) -> None:
        """Remove the line."""
        super().hide()
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def describe(state: TaskState) -> str:
    """Return a state in a line: its name, and its sentence."""
    name = state.status.replace("_", " ")
    return escape_lines(f"{name}: {state.message}" if state.message else name)


def _make_bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    text = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis"))
    columns = (SpinnerColumn(), text, BarColumn(20), TaskProgressColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task("", total=None)
    return bar
