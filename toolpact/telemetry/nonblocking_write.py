"""A descriptor that is written to without waiting, though it may be one that waits."""

from __future__ import annotations

import errno
import os
import select
import stat
from contextlib import suppress

_NOT_HERE = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}
_NOWAIT: int = getattr(os, "RWF_NOWAIT", 0)


class Outlet:
    """Writes to a descriptor as much as it takes. It may be in blocking mode, which cannot be left: others may share it, as a terminal is."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._can_nowait = bool(_NOWAIT)
        """Whether the system can be asked to take as much as there is room for: Linux can, of pipes and sockets."""
        self._never_waits = False
        """Whether the descriptor takes all that it is given, or says at once that it does not."""
        with suppress(OSError):  # whoever writes hears what is wrong with it
            self._get_to_know(descriptor)
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLOUT)

    def _get_to_know(self, descriptor: int) -> None:
        """Find out what the descriptor is. Raises OSError."""
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            self._never_waits = True
        elif os.isatty(descriptor):  # which may be stopped with a key, and is then not written to by the half
            self._descriptor = os.open(os.ttyname(descriptor), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
            self._never_waits = True

    def write(self, data: bytes | memoryview, patience_ms: int = 0) -> int:
        """Write what is taken of *data*, and return how much that was; nought where there is no room for *patience_ms*. Raises OSError."""
        if not data:
            return 0
        try:
            return self._taken(data)
        except BlockingIOError:
            if not patience_ms or not self._poll.poll(patience_ms):
                return 0
        try:
            return self._taken(data)
        except BlockingIOError:  # somebody else who writes there was faster
            return 0

    def _taken(self, data: bytes | memoryview) -> int:
        """Write what is taken of *data* now, and return how much that was. Raises BlockingIOError where there is no room, and OSError."""
        if self._never_waits:
            return os.write(self._descriptor, data)
        if self._can_nowait:
            try:
                return os.pwritev(self._descriptor, [data], -1, _NOWAIT)
            except OSError as error:
                if error.errno not in _NOT_HERE:
                    raise
                self._can_nowait = False
        if not self._poll.poll(0):
            raise BlockingIOError
        # Where there is any room, the system promises to take this much without waiting.
        return os.write(self._descriptor, data[: select.PIPE_BUF])
