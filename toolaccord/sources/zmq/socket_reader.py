"""Messages of a libzmq socket, read in the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextvars import Context
from typing import TypeAlias

import zmq

Parts: TypeAlias = Sequence[bytes]
"""A message; of more than two parts only the first two."""

_EVENTS, _READABLE, _MORE = int(zmq.EVENTS), int(zmq.POLLIN), int(zmq.RCVMORE)
"""Numbers: operations on the enumerations of pyzmq take longer than the socket's."""
_MAX_PARTS = 2
"""Parts of a message that are read into memory.

libzmq's monitor sends two, and a peer any number.
"""
_BATCH = 100
"""Largest number of parts that are read in one turn of the event loop."""
_BATCH_BYTES = 1_048_576
"""Number of bytes after which a turn of the event loop reads no further part."""


class SocketReader:
    """Reads a socket whenever libzmq signals something.

    libzmq's descriptor becomes readable once for any number of events: a message, room in a queue, a peer that is gone.
    Other operations on the socket may take such a signal, so call `take` after them. zmq.asyncio waits for POLLOUT
    instead, which an XPUB socket reports even if its queue is full.
    """

    def __init__(self, socket: zmq.Socket[bytes], on_signal: Callable[[Sequence[Parts]], None]) -> None:
        """*on_signal* is called after each signal, with the messages that have arrived."""
        self._socket = socket
        self._on_signal = on_signal
        self._parts: list[bytes] = []
        """Parts of the message that is being read."""
        self._loop = asyncio.get_running_loop()
        self._descriptor = socket.fileno()
        # Without the context of the call that opens the socket: its id and its deadline are not those of the connection.
        context = Context()
        context.run(self._loop.add_reader, self._descriptor, self._read)
        self._loop.call_soon(self._read, context=context)

    def take(self) -> Sequence[Parts]:
        """Return messages that have arrived; others follow in the next turn of the event loop."""
        messages: list[Parts] = []
        count = size = 0
        while int(self._socket.getsockopt(_EVENTS)) & _READABLE:
            part = self._socket.recv()
            count, size = count + 1, size + len(part)
            if len(self._parts) < _MAX_PARTS:
                self._parts.append(part)
            if not self._socket.getsockopt(_MORE):
                messages.append(self._parts)
                self._parts = []
            if count == _BATCH or size >= _BATCH_BYTES:
                self._loop.call_soon(self._read)
                break
        return messages

    def close(self) -> None:
        """Close the socket; libzmq sends what is in its queue in the background."""
        self._loop.remove_reader(self._descriptor)
        self._socket.close()

    def _read(self) -> None:
        if not self._socket.closed:
            self._on_signal(self.take())
