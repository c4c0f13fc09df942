"""The log of a server that a command starts: standard error, and output that is no message."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import dropwhile
from pathlib import Path
from typing import TextIO

from pydantic import ValidationError

from toolaccord.json_values import JsonObject
from toolaccord_codegen.diagnostics import escape_lines
from toolaccord_codegen.loading.documents import display_path

_MOST_LINES = 20
"""Most lines of a log that are shown."""
_FAULTS = {"WARNING", "ERROR"}
_TRACEBACK = "Traceback (most recent call last):"
_FRAME = re.compile(r'  File "(?P<path>.+)", line (?P<line>\d+), in (?P<function>.+)')


@contextmanager
def recording_output(log: TextIO) -> Iterator[None]:
    """Write each line of a server's standard output that is no JSON into its *log*.

    The SDK skips such a line, which may hold the reason why a server ends.
    """
    logger, handler = logging.getLogger("mcp.client.stdio"), _StrayLines(log)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


class _StrayLines(logging.Handler):
    """Takes lines out of the errors that the SDK logs."""

    def __init__(self, log: TextIO) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line that could not be parsed."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, ValidationError) and isinstance(line := error.errors()[0]["input"], str):
            self._log.write(f"{line}\n")
            self._log.flush()


def list_lines(log: TextIO) -> Iterator[str]:
    """Yield the last lines of a *log*.

    Of a line in JSON it yields the message alone, of a traceback the last place and the exception.
    """
    for line, record in _read(log):
        if record is None:
            yield f"  {escape_lines(line)}"
        elif record.get("level") in _FAULTS:
            yield f"  {escape_lines(str(record.get('message')))}"


def list_faults(log: TextIO) -> Iterator[JsonObject]:
    """Yield the last records of a *log* that are warnings, errors, or calls with a cause."""
    for _, record in _read(log):
        is_fault = record is not None and (record.get("level") in _FAULTS or "cause" in record)
        if record and is_fault and {"timestamp", "level", "message"} <= record.keys():
            yield record


def _shorten_traceback(lines: list[str]) -> list[str]:
    """Return *lines* in which a traceback is its last place and the exception."""
    frames = [(index, frame) for index, line in enumerate(lines) if (frame := _FRAME.match(line))]
    if _TRACEBACK not in lines or not frames:
        return lines
    last, frame = frames[-1]
    place = f"{display_path(Path(frame['path']))}:{frame['line']} in {frame['function']}"
    exception = dropwhile(lambda line: line.startswith("    "), lines[last + 1 :])
    return [*lines[: lines.index(_TRACEBACK)], place, *exception]


def _read(log: TextIO) -> Iterator[tuple[str, JsonObject | None]]:
    """Yield the last lines of a *log*, each with the JSON object that it is."""
    log.seek(0)
    for line in _shorten_traceback(log.read().splitlines())[-_MOST_LINES:]:
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        yield line, record if isinstance(record, dict) else None
