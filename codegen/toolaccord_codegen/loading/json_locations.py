"""Positions of values in a JSON text, found on demand: most are never needed."""

from __future__ import annotations

import re
from bisect import bisect_right
from json import JSONDecoder

from jsonpointer import escape

from toolaccord_codegen.loading.json_parser import SPACE, replace_surrogates

DECODER = JSONDecoder(parse_int=len)
"""Finds the ends of values; their integers may be longer than Python converts."""


class OffsetIndex:
    """Offsets of the values and keys of a valid JSON text, by JSON pointer."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._values = {"": self._skip(0)}
        self._keys: dict[str, int] = {}
        self._opened: set[str] = set()

    def value(self, pointer: str) -> int:
        """Return the offset of the value at a pointer, or of its nearest existing parent."""
        self._open_above(pointer)
        while pointer not in self._values:
            pointer = pointer.rpartition("/")[0]
        return self._values[pointer]

    def key(self, pointer: str) -> int:
        """Return the offset of that value's key, or of the value where it has no key."""
        self._open_above(pointer)
        return self._keys[pointer] if pointer in self._keys else self.value(pointer)

    def _open_above(self, pointer: str) -> None:
        """Index the members of every value above a pointer."""
        ends = [match.start() for match in re.finditer("/", pointer)]
        for above in (pointer[:end] for end in ends):
            if above in self._values and above not in self._opened:
                self._opened.add(above)
                self._open(above)

    def _open(self, pointer: str) -> None:
        start = self._values[pointer]
        is_object = self._text[start] == "{"
        if not is_object and self._text[start] != "[":
            return
        at, count = self._skip(start + 1), 0
        while self._text[at] not in "]}":
            here = f"{pointer}/{count}"
            if is_object:
                key, end = DECODER.raw_decode(self._text, at)
                here = f"{pointer}/{escape(replace_surrogates(key))}"
                self._keys[here] = at
                at = self._skip(self._skip(end) + 1)
            self._values[here] = at
            _, end = DECODER.raw_decode(self._text, at)
            at, count = self._skip(end), count + 1
            if self._text[at] == ",":
                at = self._skip(at + 1)

    def _skip(self, at: int) -> int:
        match = SPACE.match(self._text, at)
        return match.end() if match else at


class LineIndex:
    """Lines and columns of offsets, both from 1."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Return the text of a line without its end."""
        start = self._starts[number - 1]
        end = self._text.find("\n", start)
        return self._text[start : end if end >= 0 else None].rstrip("\r")
