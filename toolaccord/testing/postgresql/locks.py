"""Locks between processes, released by the kernel however their holders end."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

EXCLUSIVE = fcntl.LOCK_EX
SHARED = fcntl.LOCK_SH


@contextmanager
def hold(path: Path, kind: int = EXCLUSIVE) -> Iterator[int]:
    """Hold the lock file *path*, and yield its descriptor.

    A child process that inherits the descriptor holds the lock as well. Blocks until the lock is free. Raises
    OSError if the file cannot be created.
    """
    with path.open("ab") as file:
        fcntl.flock(file, kind)
        yield file.fileno()
