"""Loading of a process's modules, before it reads its arguments."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from toolaccord.server.gc_tuning import pause_gc


@contextmanager
def loading(name: str) -> Iterator[None]:
    """Import the modules of the server or agent *name*, without the garbage collector.

    Ends the process with status 2 and a sentence if a driver is not installed that one of them imports.
    """
    try:
        with pause_gc():
            yield
    except ModuleNotFoundError as error:
        from toolaccord.extras import explain  # noqa: PLC0415 - other processes do not need it yet

        missing = explain(error)
        if missing is None:
            raise
        sys.stderr.write(f"{name}: {missing}\n")
        raise SystemExit(2) from None
