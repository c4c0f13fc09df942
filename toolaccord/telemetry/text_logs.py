"""Log lines for people at a terminal, made of the records of the JSON log."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import dropwhile
from pathlib import Path
from typing import Any

_COLOURS = {
    "DEBUG": "2",
    "INFO": "32",
    "WARNING": "33",
    "ERROR": "31;1",
    "CRITICAL": "31;1",
    "success": "32",
    "error": "31",
    "cancelled": "33",
    "input_required": "36",
    "deferred": "36",
}
"""SGR parameters of levels and outcomes."""
_DIM = "2"
_SHOWN = {"success": "ok", "input_required": "asks", "deferred": "task"}
"""Shorter words for outcomes."""
_TOOL_WIDTH = 22
_OUTCOME_WIDTH = 18
_ID_CHARACTERS = 8
INDENT = 18
"""Columns of the time and the level, which the other lines of a message are indented by."""
_KNOWN = {"timestamp", "level", "logger", "message", "corr_id", "exception"}
_CHECK_OF_RESULTS = "/toolaccord/call/results.py"
_FRAME = re.compile(r'  File "(?P<path>.+)", line (?P<line>\d+), in (?P<function>.+)')


@dataclass(frozen=True, slots=True)
class TextFormat:
    """Formats records of the log, which `json_logs` writes as JSON, as aligned lines."""

    is_coloured: bool
    width: int
    """Columns of the terminal."""
    project: Path
    """Folder of the user's own modules, whose frames of a traceback are shown."""

    def format(self, record: Mapping[str, Any]) -> str:
        """Return the line of *record*, or lines, without the last newline."""
        moment = datetime.fromisoformat(record["timestamp"]).astimezone()
        level = record["level"]
        start = f"{self._paint(f'{moment:%H:%M:%S}', _DIM)}  {self._paint(f'{level:<7}', _COLOURS[level])} "
        if record["message"] == "call" and "tool" in record:
            lines = [self._format_call(record), *(self._wrap(record["cause"]) if "cause" in record else ())]
            return start + f"\n{' ' * INDENT}".join(lines)
        extra = [f"{name}={value}" for name, value in record.items() if name not in _KNOWN]
        text = " ".join([record["message"], *extra])
        lines = [line for part in text.splitlines() for line in self._wrap(part)] or [""]
        lines[0] += self._format_id(record, before="  ")
        if trace := record.get("exception"):
            lines += [line for part in self._shorten(trace) for line in self._wrap(part)]
        return start + f"\n{' ' * INDENT}".join(lines)

    def _format_call(self, record: Mapping[str, Any]) -> str:
        """Return tool, outcome, duration and correlation id of a call."""
        status = record["status"]
        outcome = record.get("error_code") or _SHOWN.get(status, status)
        coloured = self._paint(f"{outcome:<{_OUTCOME_WIDTH}}", _COLOURS[status])
        version = f"@{record['version']}" if "version" in record else ""
        tool = f"{record['tool']}{version}"
        return (
            f"{tool:<{_TOOL_WIDTH}} {coloured} {record['duration_ms']:>7.1f} ms{self._format_id(record, before='  ')}"
        )

    def _format_id(self, record: Mapping[str, Any], before: str) -> str:
        corr_id = record.get("corr_id")
        return before + self._paint(corr_id[:_ID_CHARACTERS], _DIM) if corr_id else ""

    def _shorten(self, trace: str) -> list[str]:
        """Return the frames of the project and the exception.

        Without such frames it returns all lines, unless a handler's result was at fault: its sentence says it all.
        """
        lines = trace.splitlines()
        frames = [frame for line in lines if (frame := _FRAME.match(line))]
        own = [frame for frame in frames if is_own_file(Path(frame["path"]), self.project)]
        if not own and not (frames and frames[-1]["path"].endswith(_CHECK_OF_RESULTS)):
            return lines
        places = [f"{_relative(frame['path'], self.project)}:{frame['line']} in {frame['function']}" for frame in own]
        last = max(index for index, line in enumerate(lines) if _FRAME.match(line))
        return [*places, *dropwhile(lambda line: line.startswith("    "), lines[last + 1 :])]

    def _wrap(self, text: str) -> list[str]:
        width = max(self.width - INDENT, 20)
        return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]

    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.is_coloured else text


def is_own_file(path: Path, project: Path) -> bool:
    """Return whether *path* is a file of *project* itself, not of an environment below it."""
    if not path.is_relative_to(project):
        return False
    parts = path.relative_to(project).parts
    return "site-packages" not in parts and not any(part.startswith(".") for part in parts)


def _relative(path: str, project: Path) -> str:
    return Path(path).relative_to(project).as_posix()
