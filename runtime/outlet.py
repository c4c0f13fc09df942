"""A descriptor that is written to without waiting, though it may be one that waits."""

from __future__ import annotations

import errno
import os
import select

_NOT_HERE = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}
_NOWAIT: int = getattr(os, "RWF_NOWAIT", 0)


class Outlet:
    """Writes to a descriptor in blocking mode, which cannot be left: the descriptor may be shared, as with a terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)
        self._takes_all = bool(_NOWAIT)
        """Whether the system can be asked to take as much as there is room for: Linux can, of pipes and sockets."""

    def write(self, data: bytes | memoryview, patience_ms: int = 0) -> int:
        """Write what is taken of *data*, and return how much that was; nought where there is no room for *patience_ms*. Raises OSError."""
        if not data:
            return 0
        if self._takes_all:
            try:
                return os.pwritev(self._descriptor, [data], -1, _NOWAIT)
            except BlockingIOError:
                pass
            except OSError as error:
                if error.errno not in _NOT_HERE:
                    raise
                self._takes_all = False
        # Where there is any room, the system promises to take this much without waiting.
        return os.write(self._descriptor, data[: select.PIPE_BUF]) if self._poll.poll(patience_ms) else 0
