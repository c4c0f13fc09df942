"""The transport of a connection with TLS, which counts what the client has not taken."""

from __future__ import annotations

import asyncio
from typing import Any

_NEVER_FULL = 1 << 40
"""High-water mark of the layer of TLS: the socket decides when to pause."""


class TlsTransport(asyncio.Transport):
    """The transport of TLS over that of its socket, which together behave as one without TLS.

    asyncio's layer of TLS knows only what it has not passed on to the socket, waits for the end of its peer when it
    closes, and cannot end one direction.
    """

    def __init__(self, tls: asyncio.Transport, socket: asyncio.Transport) -> None:
        super().__init__()
        self._tls = tls
        self._socket = socket
        self._is_closing = False

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Let the socket pause writing."""
        self._tls.set_write_buffer_limits(_NEVER_FULL)
        self._socket.set_write_buffer_limits(high, low)

    def get_write_buffer_size(self) -> int:
        """Return the number of bytes that the client has not taken."""
        return self._socket.get_write_buffer_size() + (0 if self.is_closing() else self._tls.get_write_buffer_size())

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Encrypt and send *data*."""
        self._tls.write(data)

    def can_write_eof(self) -> bool:
        """Return False: asyncio's TLS ends both directions at once."""
        return False

    def is_closing(self) -> bool:
        """Return whether nothing more can be written."""
        return self._is_closing or self._tls.is_closing()

    def close(self) -> None:
        """Close the connection after sending what is buffered, without waiting for the client."""
        if self.is_closing():
            return
        self._is_closing = True
        self._tls.pause_reading()  # else requests that have arrived would be served
        if not self._socket.get_write_buffer_size():
            self.close_socket()

    def close_socket(self) -> None:
        """Send the end of TLS and close, if `close` was called, now that the socket takes it."""
        if self._is_closing and not self._socket.is_closing():
            self._tls.close()
            self._socket.close()

    def abort(self) -> None:
        """Close the connection at once."""
        self._tls.abort()

    def pause_reading(self) -> None:
        """Stop reading."""
        self._tls.pause_reading()

    def resume_reading(self) -> None:
        """Read again."""
        self._tls.resume_reading()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return information on the socket, or on TLS."""
        return self._tls.get_extra_info(name, default)
