"""Reader of regular files, with bounds of size and time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from stat import S_ISREG
from typing import ClassVar

from toolaccord.sources.files.api import FilesError
from toolaccord.timing.clock import Clock, sleep

_ATTEMPTS = 5
_PAUSE_S = 0.01
"""Seconds between two reads of a file that changes."""
_THREADS = 4
"""Number of files that are read at once.

A disk that hangs holds up these threads and no others.
"""


class _ChangedError(Exception):
    """A file changed while it was read."""


class FileReader:
    """Files by name. Every read opens its file anew."""

    kind: ClassVar = "files"
    """Kind of the system that answers."""

    def __init__(self, source: str, paths: Mapping[str, str], max_bytes: int, clock: Clock) -> None:
        """*source* is the name of the source, which its errors hold."""
        self._source = source
        self._paths = paths
        self._max_bytes = max_bytes
        self._clock = clock
        self._threads = ThreadPoolExecutor(_THREADS, "files")

    async def start(self) -> None:
        """Do nothing: files need no connection."""

    async def check(self) -> None:
        """Report success: a server without its files still answers."""

    async def close(self) -> None:
        """Read no further file."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def read(self, name: str) -> bytes | None:
        """Return the content of the file *name*; None if there is no file. Raises FilesError."""
        try:
            return await self._read(self._paths[name])
        except FilesError as error:
            error.source = self._source
            raise

    async def _read(self, path: str) -> bytes | None:
        for _ in range(_ATTEMPTS):
            try:
                return await asyncio.get_running_loop().run_in_executor(
                    self._threads, _read_unchanged, path, self._max_bytes
                )
            except _ChangedError:
                await sleep(self._clock, _PAUSE_S)
            except (OSError, ValueError) as error:
                why = f" ({error.strerror})" if isinstance(error, OSError) else " (its path has a null byte)"
                raise FilesError(f"{path} cannot be read{why}; check the path and its permissions") from error
        raise FilesError(f"{path} changed during each of {_ATTEMPTS} reads; let its writer replace it by rename")


def _read_unchanged(path: str, max_bytes: int) -> bytes | None:
    """Return the content of the file at *path*; None if there is no file.

    Raises _ChangedError if it changed meanwhile, FilesError if it is no file of at most *max_bytes*, and OSError.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)  # a FIFO would wait for its writer
    except FileNotFoundError:
        return None
    try:
        before = os.fstat(descriptor)
        if not S_ISREG(before.st_mode):
            raise FilesError(f"{path} is no regular file; correct the path in its setting")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(max_bytes + 1)
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if len(content) > max_bytes:
        raise FilesError(f"{path} has more than {max_bytes} bytes; shorten it, or raise the source's max_bytes")
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise _ChangedError
    return content
