"""Standard error of the process, by its descriptor."""

from __future__ import annotations

import os
import sys

STDERR = 2
"""File descriptor of standard error."""


def reopen_closed_stderr() -> None:
    """Open standard error on the null device if it was closed at the start.

    Otherwise the next file that the process opens would get its descriptor, and the log.
    """
    if sys.__stderr__ is not None:
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, STDERR)
    if null != STDERR:
        os.close(null)
    sys.stderr = open(STDERR, "w", closefd=False)  # noqa: SIM115 - for as long as the process lives
