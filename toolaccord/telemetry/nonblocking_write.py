"""Writes to a file descriptor without blocking, even if the descriptor is in blocking mode."""

from __future__ import annotations

import errno
import os
import select
import stat
from contextlib import suppress

_UNSUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}
_NOWAIT: int = getattr(os, "RWF_NOWAIT", 0)


class NonBlockingWriter:
    """Writes as much to a descriptor as it accepts without blocking.

    The descriptor's mode stays: other processes may share it, as they share a terminal.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._supports_nowait = bool(_NOWAIT)
        """True while RWF_NOWAIT works: Linux supports it for pipes and sockets."""
        self._never_blocks = False
        """True if a plain write never blocks."""
        with suppress(OSError):  # the first write reports what is wrong with the descriptor
            self._inspect(descriptor)
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLOUT)

    def _inspect(self, descriptor: int) -> None:
        """Find out the kind of the descriptor. Raises OSError."""
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            self._never_blocks = True
        elif os.isatty(descriptor):  # a user may stop its output with a key, and then even small writes block
            self._descriptor = os.open(os.ttyname(descriptor), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
            self._never_blocks = True

    def write(self, data: bytes | memoryview, timeout_ms: int = 0) -> int:
        """Write as much of *data* as is accepted, and return the number of bytes. Raises OSError.

        Returns 0 if there is no room within *timeout_ms* milliseconds.
        """
        if not data:
            return 0
        try:
            return self._write_now(data)
        except BlockingIOError:
            if not timeout_ms or not self._poll.poll(timeout_ms):
                return 0
        try:
            return self._write_now(data)
        except BlockingIOError:  # another writer of the descriptor was faster
            return 0

    def _write_now(self, data: bytes | memoryview) -> int:
        """Write as much of *data* as there is room for, and return the number of bytes.

        Raises BlockingIOError without room, and OSError.
        """
        if self._never_blocks:
            return os.write(self._descriptor, data)
        if self._supports_nowait:
            try:
                return os.pwritev(self._descriptor, [data], -1, _NOWAIT)
            except OSError as error:
                if error.errno not in _UNSUPPORTED:
                    raise
                self._supports_nowait = False
        if not self._poll.poll(0):
            raise BlockingIOError
        # If there is any room, the system accepts PIPE_BUF bytes without blocking.
        return os.write(self._descriptor, data[: select.PIPE_BUF])
