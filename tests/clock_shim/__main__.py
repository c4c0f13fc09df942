"""`python -m tests.clock_shim DAY …` runs pytest on another day, given as 2028-02-29 or, in days from now, as +40.

The wall clock of every process is moved by whole days: that of pytest, and of what the tests start, in C, Python or Go.
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
