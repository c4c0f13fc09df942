"""A transport with a given size of buffered output, which records that it was aborted."""

import asyncio


class FakeTransport(asyncio.Transport):
    """Stands in for a client's connection."""

    def __init__(self, size: int = 0) -> None:
        super().__init__()
        self.size = size
        """Bytes buffered."""
        self.is_aborted = False
        """True once it was aborted."""

    def get_write_buffer_size(self) -> int:
        return self.size

    def abort(self) -> None:
        self.is_aborted = True
