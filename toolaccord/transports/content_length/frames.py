"""Frames of LSP's base protocol: a header with the length of the body, and the body."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

MAX_HEADER_BYTES = 4096
"""Largest header of a frame, in bytes, with the empty line at its end."""
_LENGTH_LINE = re.compile(rb"content-length:[ \t]{0,32}([0-9]{1,19})\r\n", re.IGNORECASE)
"""Line that begins a frame wherever it stands.

No JSON text holds it, because strings escape CR and LF.
"""
_MAX_LENGTH_LINE_BYTES = 68
_LENGTH_NAME = b"content-length:"
_LENGTH_BEGINNING = re.compile(rb"[ \t]{0,32}(?:[0-9]{1,19}\r?)?")
_TYPE_NAME = b"content-type:"
_TYPE_LINE = re.compile(
    rb'content-type:[ \t]*application/(?:json|vscode-jsonrpc)[ \t]*(?:;[ \t]*charset=(?:utf-?8|"utf-?8")[ \t]*)?\r\n',
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FramingFault:
    """Bytes that are no frame. The next frame is read all the same."""

    problem: str
    """The fault, in words that hold none of the bytes."""
    position: int
    """Number of bytes of the input before the line or the body at fault."""


Frame: TypeAlias = bytes | FramingFault
"""The body of a frame, or the fault in its place."""


def encode_frames(bodies: Sequence[bytes]) -> bytes:
    """Return *bodies* as frames."""
    return b"".join([b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies])


class FrameDecoder:
    """Decodes input into frames in linear time, in whatever pieces it arrives.

    After a fault, the next line with a Content-Length begins a frame, also inside a body. So whatever precedes a
    frame with a JSON text, the frame is found. The decoder keeps at most a header, *max_body_bytes* and one piece.
    """

    def __init__(self, max_body_bytes: int) -> None:
        self._max_body_bytes = max_body_bytes
        self._buffer = bytearray()
        """Input that is not decoded yet."""
        self._position = 0
        """Number of bytes of input before the buffer."""
        self._frames: list[Frame] = []
        self._begin_header()

    def decode(self, piece: bytes) -> list[Frame]:
        """Return the frames and faults that end in the next *piece* of input."""
        self._buffer += piece
        while self._step():
            pass
        frames, self._frames = self._frames, []
        return frames

    def end(self) -> list[Frame]:
        """Return the fault of input that ends inside a frame, unless it is reported already."""
        is_between = self._step == self._read_header_line and not self._header_bytes and not self._buffer
        if is_between or self._step == self._skip:
            return []
        return [FramingFault("the input ends inside a frame", self._position)]

    def _begin_header(self) -> None:
        self._step = self._read_header_line
        """Decodes a part of the buffer; returns False if it needs more input."""
        self._header_bytes = 0
        """Size of the header's lines so far."""
        self._length: int | None = None
        self._has_type = False
        self._searched = 0
        """Number of bytes of the body in which no Content-Length line begins."""

    def _read_header_line(self) -> bool:
        end = self._buffer.find(b"\n") + 1
        if self._header_bytes + (end or len(self._buffer)) > MAX_HEADER_BYTES:
            return self._fail(f"the header is longer than {MAX_HEADER_BYTES} bytes")
        if not end:
            return False
        line = bytes(self._buffer[:end])
        if line == b"\r\n":
            return self._end_header()
        if problem := self._note_header_line(line):
            return self._fail(problem)
        self._header_bytes += end
        self._discard(end)
        return True

    def _note_header_line(self, line: bytes) -> str | None:
        """Take over the value in a *line* of the header; return what is wrong with the line."""
        if found := _LENGTH_LINE.fullmatch(line):
            if self._length is not None:
                self._report("Content-Length comes twice in a header; the second begins a frame")
                self._begin_header()
            self._length = int(found[1])
        elif self._has_type or not _TYPE_LINE.fullmatch(line):
            return _describe_fault(line)
        else:
            self._has_type = True
        return None

    def _end_header(self) -> bool:
        if self._length is None:
            return self._fail("the header has no Content-Length")
        if self._length > self._max_body_bytes:
            return self._fail(f"the body is longer than {self._max_body_bytes} bytes (MCP_MAX_BODY_BYTES)")
        self._discard(len(b"\r\n"))
        self._step = self._read_body
        return True

    def _read_body(self) -> bool:
        length = self._length or 0
        size = min(len(self._buffer), length)
        if cut := _LENGTH_LINE.search(self._buffer, self._searched, size):
            self._report("the body is shorter than its Content-Length: another header begins in it")
            self._discard(cut.start())
            self._begin_header()
        elif size < length:
            self._searched = max(0, size - _MAX_LENGTH_LINE_BYTES)
            return False
        else:
            body = bytes(self._buffer[:length])
            self._frames.append(body)
            # A body that ends in the middle of such a line is no JSON text, and so its receiver reports the fault.
            beginning = _length_line_at_end(body)
            self._discard(length - beginning)
            self._begin_header()
            self._step = self._skip if beginning else self._read_header_line
        return True

    def _skip(self) -> bool:
        """Discard everything before the next line with a Content-Length."""
        if found := _LENGTH_LINE.search(self._buffer):
            self._discard(found.start())
            self._begin_header()
            return True
        self._discard(max(0, len(self._buffer) - _MAX_LENGTH_LINE_BYTES))
        return False

    def _fail(self, problem: str) -> bool:
        """Report a fault, and skip to the next frame."""
        self._report(problem)
        self._step = self._skip
        return True

    def _report(self, problem: str) -> None:
        self._frames.append(FramingFault(problem, self._position))

    def _discard(self, count: int) -> None:
        del self._buffer[:count]
        self._position += count
        self._searched = 0


def _describe_fault(line: bytes) -> str:
    """Return what is wrong with a *line* of a header."""
    if not line.endswith(b"\r\n"):
        return "a line of the header ends with LF instead of CR LF"
    name = line.lower()
    if name.startswith(_LENGTH_NAME):
        return "Content-Length is not a number of one to 19 digits"
    if name.startswith(_TYPE_NAME):
        return "Content-Type comes twice, or is not application/json or application/vscode-jsonrpc in UTF-8"
    return "a line of the header is neither Content-Length nor Content-Type"


def _length_line_at_end(body: bytes) -> int:
    """Return the size of what may begin a Content-Length line at the end of *body*."""
    tail = body[-_MAX_LENGTH_LINE_BYTES:].lower()
    beginning = tail[tail.rfind(b"c") :] if b"c" in tail else b""  # the name holds no other C
    is_one = _LENGTH_NAME.startswith(beginning) or (
        beginning.startswith(_LENGTH_NAME) and _LENGTH_BEGINNING.fullmatch(beginning, len(_LENGTH_NAME))
    )
    return len(beginning) if is_one else 0
