"""The transport of a connection, as uvicorn's protocol uses it."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol


class Connection(Protocol):
    """The connection as its transport needs it."""

    is_discarding: bool
    """True while the rest of a request is discarded, after its response."""

    def discard_or_close(self) -> None:
        """End the connection after its response, or at once."""

    def resume_reading(self) -> None:
        """Read again, as soon as the limits allow."""


class UvicornTransport(asyncio.Transport):
    """The transport that uvicorn uses; the connection decides when to close and to read."""

    def __init__(self, connection: Connection, transport: asyncio.Transport) -> None:
        super().__init__()
        self._connection = connection
        self._transport = transport

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send *data*, unless the response has ended."""
        if not self._connection.is_discarding:
            self._transport.write(data)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return information on the socket."""
        return self._transport.get_extra_info(name, default)

    def is_closing(self) -> bool:
        """Return whether no further request is served."""
        return self._connection.is_discarding or self._transport.is_closing()

    def close(self) -> None:
        """Close the connection after sending what is buffered."""
        self._connection.discard_or_close()

    def pause_reading(self) -> None:
        """Stop reading."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Read again, as soon as the connection allows."""
        self._connection.resume_reading()
