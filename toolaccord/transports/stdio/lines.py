"""Lines of bounded length, one message each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias


class OversizedLine(NamedTuple):
    """A line that is too long, and was not kept."""

    max_bytes: int
    """Largest size of a line."""


Line: TypeAlias = bytes | OversizedLine
"""A line without its newline, or what stands in its place."""


def encode_lines(messages: Sequence[bytes]) -> bytes:
    """Return *messages*, which hold no newline, as lines."""
    return b"\n".join([*messages, b""])


class LineDecoder:
    """Splits input into lines of up to *max_bytes*.

    A longer line is reported as soon as it is too long, and its rest is discarded as it arrives.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._oversized = OversizedLine(max_bytes)
        self._partial_line: list[bytes] = []
        """Pieces of a line without its end; none once it is too long."""
        self._partial_bytes = 0

    def decode(self, piece: bytes) -> list[Line]:
        """Return the lines that end in the next *piece* of input."""
        first, *others = piece.split(b"\n")
        if not others:
            return self._extend_line(first)
        if len(piece) > self._max_bytes:
            inner: list[Line] = [line if len(line) <= self._max_bytes else self._oversized for line in others[:-1]]
        else:
            inner = [*others[:-1]]
        return [*self._extend_line(first), *self._end_line(), *inner, *self._extend_line(others[-1])]

    def end(self) -> list[Line]:
        """Return the text after the last newline, if there is any."""
        return [line for line in self._end_line() if line]

    def _extend_line(self, part: bytes) -> list[Line]:
        """Add *part* to the line without its end; report the line when it becomes too long."""
        was_short = self._partial_bytes <= self._max_bytes
        self._partial_bytes += len(part)
        if self._partial_bytes <= self._max_bytes:
            self._partial_line.append(part)
        elif was_short:
            self._partial_line = []
            return [self._oversized]
        return []

    def _end_line(self) -> list[Line]:
        """Return the line that ends here, unless it was too long."""
        lines: list[Line] = [b"".join(self._partial_line)] if self._partial_bytes <= self._max_bytes else []
        self._partial_line, self._partial_bytes = [], 0
        return lines
