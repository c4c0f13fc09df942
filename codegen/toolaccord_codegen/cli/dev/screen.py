"""Output of `dev`: its own lines on standard error, the server's log on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from toolaccord.telemetry.text_logs import INDENT, TextFormat
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.reporting.colour import GREEN, RED, TerminalStyle
from toolaccord_codegen.reporting.compiler_text import format_problems

_CYAN = "36;1"


@dataclass(frozen=True, slots=True)
class Screen:
    """Terminal or pipe that `dev` writes to."""

    style: TerminalStyle
    text: TextFormat | None
    """The form of the log; None for JSON, as the server writes it."""

    def header(self, title: str, facts: dict[str, str]) -> None:
        """Print a title, and facts below it."""
        width = max(map(len, facts))
        lines = [f"  {self.style(f'{name:<{width}}', '2')}  {fact}" for name, fact in facts.items()]
        self._print("\n".join([self.style(title, "1"), *lines]))

    def note(self, text: str, code: str = _CYAN) -> None:
        """Print a line of `dev` itself, aligned with those of the log."""
        start = f"{self.style(f'{datetime.now().astimezone():%H:%M:%S}', '2')}  {self.style('dev', code)}     "
        self._print(self.style.wrap(f"{start}{text}", INDENT))

    def good(self, text: str) -> None:
        """Print good news."""
        self.note(text, GREEN)

    def bad(self, text: str, problems: Sequence[Problem] = ()) -> None:
        """Print bad news, and the places to mend."""
        self.note(text, RED)
        if problems:
            self._print(format_problems(problems, self.style))

    def end_line(self) -> None:
        """End the line on which a terminal shows ^C."""
        if sys.stderr.isatty():
            self._print("")

    def log(self, line: bytes, *, only_calls: bool) -> None:
        """Print a line of the server's output.

        With *only_calls*, remarks of a process that is being replaced are left out of a log for people.
        """
        text = line.decode(errors="backslashreplace").rstrip("\n")
        if self.text and (record := _parse_record(text)):
            if only_calls and record["level"] == "INFO" and record["message"] != "call":
                return
            text = self.text.format(record)
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    @staticmethod
    def _print(text: str) -> None:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def _parse_record(text: str) -> dict[str, str] | None:
    """Return the record of the log in a line; None for other output."""
    if not text.startswith('{"timestamp"'):
        return None
    try:
        record = json.loads(text)
    except ValueError:
        return None
    return record if isinstance(record, dict) and {"timestamp", "level", "message"} <= record.keys() else None
