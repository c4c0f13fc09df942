"""Compile the shim that moves a process's wall clock, and return its environment variables."""

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = Path(__file__).with_name("clock_shim.c")
CACHE = ROOT / ".cache/dates"


class CannotMoveError(Exception):
    """The clock cannot be moved; the text is a sentence for the user."""


def build(folder: Path = CACHE) -> Path:
    """Compile the shim into *folder*, and give its path. Raises CannotMoveError."""
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        raise CannotMoveError("Only Linux with a C compiler can move the clock; install one (Debian: apt install gcc).")
    folder.mkdir(parents=True, exist_ok=True)
    made, shim = folder / "clock_shim.new.so", folder / "clock_shim.so"
    options = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    command: list[str | Path] = [compiler, *options, "-o", made, SOURCE, "-ldl"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise CannotMoveError(f"{compiler} cannot compile {SOURCE.name}:\n{done.stderr}")
    made.replace(shim)  # a process may have the old one loaded
    return shim


def moved_to(day: str, shim: Path) -> Mapping[str, str]:
    """Return the environment variables that move a process to *day*: 2028-02-29, or +40 days.

    The sandbox has a cache of its own there, since processes of today may use the other one. Raises CannotMoveError.
    """
    return {
        "LD_PRELOAD": str(shim),
        "CLOCK_SHIFT_S": str(_days_until(day) * 86_400),
        "XDG_CACHE_HOME": str(CACHE / day.removeprefix("+")),
    }


def _days_until(day: str) -> int:
    if re.fullmatch(r"\+\d+", day):
        return int(day)
    try:
        return (date.fromisoformat(day) - datetime.now(UTC).date()).days
    except ValueError:
        raise CannotMoveError(f"{day} is no day; write one as 2028-02-29 or +40.") from None
