"""A transport whose client takes data on demand, and which records how it ended."""

import asyncio


class FakeTransport(asyncio.Transport):
    """Stands in for a client's connection."""

    def __init__(self, size: int = 0) -> None:
        super().__init__()
        self.size = size
        """Bytes buffered."""
        self.is_closed = False
        """True once it was closed."""
        self.is_aborted = False
        """True once it was aborted."""
        self._data = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self._data += data
        self.size += len(data)

    def take(self) -> bytes:
        """Return what was written since the last time, and buffer nothing any more."""
        data, self._data, self.size = self._data, b"", 0
        return data

    def is_closing(self) -> bool:
        return self.is_closed or self.is_aborted

    def close(self) -> None:
        self.is_closed = True

    def get_write_buffer_size(self) -> int:
        return self.size

    def abort(self) -> None:
        self.is_aborted = True
