"""Tuning of Python's garbage collector for servers."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLDS = (2_000, 10, 10)
"""Thresholds of the collector's generations.

A page of 1,000 rows makes a thousand objects that are freed without the collector. A higher threshold would save
nothing measurable, and let cycles of handlers, which may hold megabytes, live longer.
"""


@contextmanager
def pause_gc() -> Iterator[None]:
    """Pause the collector while modules are loaded; later collections skip what was loaded."""
    gc.disable()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        gc.enable()
        freeze_objects()


def freeze_objects() -> None:
    """Exempt all existing objects from later collections, whose pauses they would prolong."""
    gc.freeze()
