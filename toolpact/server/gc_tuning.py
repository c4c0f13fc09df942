"""What Python's garbage collector is told: what a server loads stays, and is not looked through again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLDS = (2_000, 10, 10)
"""A page of 1,000 rows is a thousand objects that are gone by themselves; but what a handler leaves in a cycle may hold megabytes until it is found."""


@contextmanager
def loading() -> Iterator[None]:
    """Look for no garbage while modules are loaded; they stay."""
    gc.disable()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        gc.enable()
        settled()


def settled() -> None:
    """Take what there is for what stays, so that no collection stops the server to look through it."""
    gc.freeze()
