"""Loading of a process's modules, before it reads its arguments."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from toolaccord.semantics.releases import VERSION, can_run
from toolaccord.server.gc_tuning import pause_gc


@contextmanager
def loading(name: str, compiled_for: str) -> Iterator[None]:
    """Import the modules of the server or agent *name*, without the garbage collector.

    Ends the process with status 2 and a sentence if its code was generated for a release of toolaccord that this one
    does not replace, or if a driver is not installed that a module imports.
    """
    if not can_run(compiled_for):
        _end(name, f"generated for toolaccord {compiled_for}, and {VERSION} is installed: generate it again")
    try:
        with pause_gc():
            yield
    except ModuleNotFoundError as error:
        from toolaccord.extras import explain  # noqa: PLC0415 - other processes do not need it yet

        missing = explain(error)
        if missing is None:
            raise
        _end(name, str(missing))


def _end(name: str, sentence: str) -> NoReturn:
    """End the process with status 2."""
    sys.stderr.write(f"{name}: {sentence}\n")
    raise SystemExit(2) from None
