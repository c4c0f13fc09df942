"""Non-blocking reading of messages from a descriptor, without threads."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

M = TypeVar("M")
M_co = TypeVar("M_co", covariant=True)
M_contra = TypeVar("M_contra", contravariant=True)
_CHUNK_BYTES = 1 << 20


class Decoder(Protocol[M_co]):
    """Decoder of input into messages; it keeps a bounded part of the input."""

    def decode(self, piece: bytes) -> Sequence[M_co]:
        """Return the messages that end in the next *piece* of input."""

    def end(self) -> Sequence[M_co]:
        """Return what remains at the end of input."""


class Consumer(Protocol[M_contra]):
    """Consumer of the messages that a Reader reads."""

    @property
    def is_full(self) -> bool:
        """True while no more should be read."""

    def consume(self, messages: Sequence[M_contra]) -> int:
        """Consume *messages*, as far as there is room and time in this turn; return their number."""

    async def wait_for_room(self) -> None:
        """Wait until more may be read."""


class Reader(Generic[M]):
    """Reads a descriptor, and passes what a decoder makes of it to a consumer."""

    def __init__(self, descriptor: int, decoder: Decoder[M], consumer: Consumer[M]) -> None:
        self._descriptor = descriptor
        self._decoder = decoder
        self._consumer = consumer
        self._loop = asyncio.get_running_loop()
        self._pending: Sequence[M] = ()
        """Messages that the consumer has not consumed yet."""
        self._at_end = False
        self._error: Exception | None = None
        self._wake = asyncio.Event()
        """Set when `read` has more to do than to wait for input."""
        self._is_watching = False

    async def read(self) -> None:
        """Read until the end of input. Raises OSError, and the exceptions of the consumer."""
        try:
            while not self._at_end:
                if self._is_watching or self._start_watching():
                    await self._wake.wait()
                    self._wake.clear()
                else:
                    await asyncio.sleep(0)
                    self._on_readable()
                await self._consume_pending()
        finally:
            self._stop_watching()

    async def _consume_pending(self) -> None:
        """Have the pending messages consumed, as there is room; other tasks run in between."""
        if self._error:
            raise self._error
        while self._pending or self._consumer.is_full:
            await (self._consumer.wait_for_room() if self._consumer.is_full else asyncio.sleep(0))
            self._consume(self._pending)

    def _start_watching(self) -> bool:
        """Watch the descriptor; return False for a regular file, which is always readable."""
        try:
            self._loop.add_reader(self._descriptor, self._on_readable)
        except PermissionError:
            return False
        self._is_watching = True
        return True

    def _stop_watching(self) -> None:
        if self._is_watching:
            self._loop.remove_reader(self._descriptor)
            self._is_watching = False

    def _on_readable(self) -> None:
        """Read one chunk, and have its messages consumed at once."""
        try:
            self._decode(os.read(self._descriptor, _CHUNK_BYTES))
        except BlockingIOError:  # another reader of the descriptor was faster
            return
        except ConnectionError:  # a socket whose other end is closed
            self._decode(b"")
        except Exception as error:
            self._error = error
        if self._pending or self._at_end or self._error or self._consumer.is_full:
            self._stop_watching()
            self._wake.set()

    def _decode(self, chunk: bytes) -> None:
        """Have the messages consumed that end in *chunk*, which is empty at the end of input."""
        self._at_end = not chunk
        self._consume(self._decoder.decode(chunk) if chunk else self._decoder.end())

    def _consume(self, messages: Sequence[M]) -> None:
        self._pending = messages[self._consumer.consume(messages) :]
