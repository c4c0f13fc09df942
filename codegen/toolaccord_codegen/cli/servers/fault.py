"""The place in the user's own files at which loading them failed."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path

from toolaccord.extras import explain
from toolaccord.telemetry.text_logs import is_own_file


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception at a place of a file."""

    path: str
    line: int
    column: int
    kind: str
    """The name of the exception's class."""
    sentence: str


def find_fault(error: BaseException, project: Path) -> Fault:
    """Return *error* at the last line of a file of *project* that led to it.

    A file that is not Python is itself that place. Without such a file, the last line of all counts.
    """
    kind = type(error).__name__
    text = str((isinstance(error, ModuleNotFoundError) and explain(error)) or error)
    if isinstance(error, SyntaxError) and error.filename:
        return Fault(error.filename, error.lineno or 1, error.offset or 1, kind, error.msg)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    own = [frame for frame in frames if is_own_file(Path(frame.filename), project)]
    place = (own or frames)[-1]
    return Fault(place.filename, place.lineno or 1, (place.colno or 0) + 1, kind, text or kind)
