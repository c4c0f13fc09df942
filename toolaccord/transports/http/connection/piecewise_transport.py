"""The transport of a connection, which buffers a piece of what is written."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

_PIECE_BYTES = 65_536


class PiecewiseTransport(asyncio.Transport):
    """A transport that buffers at most 64 KiB, and refers to the rest of what is written.

    asyncio copies all that the client has not taken. Copies of many large responses fragment memory, which then stays
    with the process. *transport* pauses writing for every byte that it buffers.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        super().__init__()
        self._transport = transport
        self._rest: deque[memoryview] = deque()
        self._is_closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send *data*, which must not change."""
        if len(data) <= _PIECE_BYTES and not self._rest:
            self._transport.write(data)
        else:
            self._rest.append(memoryview(data))
            self.write_rest()

    def write_rest(self) -> bool:
        """Write pieces until the client takes no more; return whether it has taken all."""
        while self._rest and not self._transport.get_write_buffer_size():
            if self._transport.is_closing():  # it is broken, and sends nothing
                self._rest.clear()
                return True
            data = self._rest.popleft()
            if len(data) > _PIECE_BYTES:
                self._rest.appendleft(data[_PIECE_BYTES:])
            self._transport.write(data[:_PIECE_BYTES])
        if self._is_closing and not self._rest:
            self._transport.close()
        return not self.get_write_buffer_size()

    def get_write_buffer_size(self) -> int:
        """Return the number of bytes that the client has not taken."""
        return self._transport.get_write_buffer_size() + sum(map(len, self._rest))

    def write_eof(self) -> None:
        """End the data of the server, of which nothing is buffered; TLS cannot."""
        if self._transport.can_write_eof():
            self._transport.write_eof()

    def is_closing(self) -> bool:
        """Return whether nothing more can be written."""
        return self._is_closing or self._transport.is_closing()

    def close(self) -> None:
        """Close the connection after sending what is buffered."""
        self._is_closing = True
        if not self._rest:
            self._transport.close()

    def abort(self) -> None:
        """Close the connection at once."""
        self._rest.clear()
        self._transport.abort()

    def pause_reading(self) -> None:
        """Stop reading."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Read again."""
        self._transport.resume_reading()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return information on the socket."""
        return self._transport.get_extra_info(name, default)
