"""Run pytest on another day: `python -m tests.clock_shim DAY …`, DAY as 2028-02-29 or +40.

The wall clock of pytest and of every process that the tests start moves by whole days.
"""

import os
import sys

from tests.clock_shim.moved import CannotMoveError, build, moved_to


def main(day: str, *arguments: str) -> None:
    """Become pytest on *day*. Exits with a sentence where the clock cannot be moved."""
    try:
        surroundings = moved_to(day, build())
    except CannotMoveError as problem:
        raise SystemExit(str(problem)) from None
    os.execve(sys.executable, [sys.executable, "-m", "pytest", *arguments], os.environ | surroundings)


if __name__ == "__main__":
    main(*sys.argv[1:])
