"""A line on the terminal that moves while a server works."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from toolaccord_codegen.diagnostics import escape_lines

if TYPE_CHECKING:
    from rich.status import Status


class StatusLine:
    """A line on standard error that moves while a person waits; none outside a terminal."""

    def __init__(self) -> None:
        self._shown: Status | None = None

    def show(self, text: str) -> None:
        """Show *text* instead of the text before."""
        self.hide()
        if sys.stderr.isatty():
            from rich.console import Console

            self._shown = Console(stderr=True).status(escape_lines(text))
            self._shown.start()

    def hide(self) -> None:
        """Remove the line."""
        if self._shown is not None:
            self._shown.stop()
            self._shown = None
