"""Locks that end with the processes that hold them, however those end."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.errors import SandboxError

SHARED = fcntl.LOCK_SH
"""For `attempt`: others may share the lock."""
PATIENCE_S = 60.0
PAUSE_S = 0.005


def waiting(what: str) -> Iterator[None]:
    """Turns to look again, a few milliseconds apart; SandboxError that *what* did not happen after a minute."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        yield
        time.sleep(PAUSE_S)
    raise SandboxError(f"{what} within {PATIENCE_S:.0f} s.")


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Nobody else holds the lock *path* meanwhile."""
    with _held(path, fcntl.LOCK_EX):
        yield


@contextmanager
def shared(path: Path) -> Iterator[None]:
    """Nobody holds the lock *path* exclusively meanwhile."""
    with _held(path, fcntl.LOCK_SH):
        yield


def attempt(path: Path, how: int = fcntl.LOCK_EX) -> int | None:
    """A descriptor that holds the lock *path* until its last copy is closed, in this process or another.

    None if another holds the lock. The caller closes the descriptor; a child that inherits it holds the lock on.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


@contextmanager
def _held(path: Path, how: int) -> Iterator[None]:
    descriptor = next(held for _ in waiting(f"{path} was not released") if (held := attempt(path, how)) is not None)
    try:
        yield
    finally:
        os.close(descriptor)
