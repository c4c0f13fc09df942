"""JSON parser that reports the position of every fault.

`json.loads` accepts duplicate keys and numbers that no other program reads, and gives few reasons.
Valid texts are read by `json.loads` all the same: it is twenty times faster.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import copysign, isfinite
from typing import Any

SPACE = re.compile(r"[ \t\r\n]*")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
SURROGATE = re.compile("[\ud800-\udfff]")
WORD = re.compile(r"[A-Za-z]+")
CONSTANTS = {"true": True, "false": False, "null": None}
DEEPEST = 100
"""Levels of nesting; contracts need about twenty, and Python's stack ends near a thousand."""

ReportProblem = Callable[[int, str, str], None]


class JSONSyntaxError(Exception):
    """The text stops being JSON at `offset`."""

    def __init__(self, offset: int, sentence: str) -> None:
        super().__init__(sentence)
        self.offset = offset
        self.sentence = sentence


def parse_json(text: str, report: ReportProblem) -> Any:
    """Return the value of a whole text; report every other fault with its offset.

    Raises JSONSyntaxError where the text is not JSON.
    """
    try:
        return parse_valid_json(text)
    except (ValueError, RecursionError):
        return DiagnosingParser(text, report).document()


def parse_valid_json(text: str) -> Any:
    """Return the value of a text without faults.

    Raises ValueError or RecursionError where it has a fault or may have one.
    """
    if "\\ud" in text.lower():
        raise ValueError("there may be half of a character")
    value = json.loads(
        text,
        object_pairs_hook=_unique_members,
        parse_int=_parse_integer,
        parse_float=_parse_number,
        parse_constant=_reject_constant,
    )
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            part
            for each in level
            if each and isinstance(each, dict | list)
            for part in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return value
    raise ValueError("too many levels")


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object.

    Raises ValueError for a repeated key.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _parse_integer(text: str) -> int:
    """Return an integer.

    Raises ValueError where it does not fit in 64 bits.
    """
    found = int(text) if len(text) < 40 else 2**63
    if not -(2**63) <= found < 2**63:
        raise ValueError("too large")
    return found


def _parse_number(text: str) -> float:
    """Return a number.

    Raises ValueError where it does not fit in a double.
    """
    found = float(text)
    if not isfinite(found):
        raise ValueError("too large")
    return found


def _reject_constant(text: str) -> None:
    """Raise ValueError: JSON has neither NaN nor Infinity."""
    raise ValueError(f"{text} is no JSON")


@dataclass(slots=True)
class DiagnosingParser:
    """Slow parser of one text that reports every fault."""

    text: str
    report: ReportProblem

    def document(self) -> Any:
        """Return the value of the whole text.

        Raises JSONSyntaxError where it is not JSON.
        """
        value, end = self._value(self._skip(0), 0)
        end = self._skip(end)
        if end != len(self.text):
            raise JSONSyntaxError(end, "nothing may follow the end of the document")
        return value

    def _skip(self, at: int) -> int:
        match = SPACE.match(self.text, at)
        return match.end() if match else at

    def _value(self, at: int, depth: int) -> tuple[Any, int]:
        if depth > DEEPEST:
            raise JSONSyntaxError(at, f"more than {DEEPEST} levels of nesting")
        first = self.text[at : at + 1]
        if first == "{":
            return self._object(at + 1, depth)
        if first == "[":
            return self._array(at + 1, depth)
        if first == '"':
            return self._string(at)
        return self._scalar(at)

    def _string(self, at: int) -> tuple[str, int]:
        match = STRING.match(self.text, at)
        try:
            if match is None:
                raise JSONSyntaxError(at, "the string has no closing quote on its line, or holds a control character")
            if "\\" not in match.group():
                return match.group()[1:-1], match.end()
            text = str(json.loads(match.group()))
        except json.JSONDecodeError as error:
            raise JSONSyntaxError(at + error.pos, f"{error.msg[0].lower()}{error.msg[1:]}") from error
        if SURROGATE.search(text):
            sentence = "the string contains half of a surrogate pair (\\ud800 to \\udfff); write the whole character"
            self.report(at, "LONE_SURROGATE", sentence)
        return replace_surrogates(text), match.end()

    def _scalar(self, at: int) -> tuple[Any, int]:
        number = NUMBER.match(self.text, at)
        if number:
            return self._number(number), number.end()
        word = WORD.match(self.text, at)
        if word and word.group() in CONSTANTS:
            return CONSTANTS[word.group()], word.end()
        raise JSONSyntaxError(at, f"expected a value, found {repr(word.group()) if word else self._found(at)}")

    def _number(self, match: re.Match[str]) -> int | float:
        if not (match.group(1) or match.group(2)):
            whole = int(match.group()) if len(match.group()) < 40 else 2**63
            if not -(2**63) <= whole < 2**63:
                self.report(
                    match.start(), "INTEGER_RANGE", "integers must fit in 64 bits; write a string or a smaller number"
                )
            return whole
        value = float(match.group())
        if value in (float("inf"), float("-inf")):
            self.report(match.start(), "NUMBER_RANGE", "the number is too large for a double; write a smaller one")
            return copysign(sys.float_info.max, value)
        return value

    def _object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        members: dict[str, Any] = {}
        at = self._skip(at)
        if self.text[at : at + 1] == "}":
            return members, at + 1
        while True:
            if self.text[at : at + 1] != '"':
                raise JSONSyntaxError(at, f"expected a key in double quotes, found {self._found(at)}")
            key, end = self._string(at)
            if key in members:
                self.report(at, "DUPLICATE_KEY", f'the key "{key}" occurs twice in this object; remove one')
            members[key], at = self._value(self._skip(self._expect(self._skip(end), ":")), depth + 1)
            at = self._skip(at)
            if self.text[at : at + 1] == "}":
                return members, at + 1
            at = self._skip(self._expect(at, ",", "}"))

    def _array(self, at: int, depth: int) -> tuple[list[Any], int]:
        elements: list[Any] = []
        at = self._skip(at)
        if self.text[at : at + 1] == "]":
            return elements, at + 1
        while True:
            element, at = self._value(at, depth + 1)
            elements.append(element)
            at = self._skip(at)
            if self.text[at : at + 1] == "]":
                return elements, at + 1
            at = self._skip(self._expect(at, ",", "]"))

    def _expect(self, at: int, *marks: str) -> int:
        if self.text[at : at + 1] == marks[0]:
            return at + 1
        wanted = " or ".join(f'"{mark}"' for mark in marks)
        raise JSONSyntaxError(at, f"expected {wanted}, found {self._found(at)}")

    def _found(self, at: int) -> str:
        """Return a description of an unexpected character, with a hint on its cause."""
        mark = self.text[at : at + 1]
        if self.text[:at].rstrip().endswith(",") and mark in {"}", "]", ","}:
            return f'"{mark}" after a comma; remove the comma'
        if mark in {"/", "#"}:
            return f'"{mark}"; JSON has no comments, but a key that begins with x- may hold a note'
        return repr(mark) if mark else "the end of the file"


def replace_surrogates(text: str) -> str:
    """Return a text with lone surrogates replaced.

    Later rules still check the value, and must be able to print it.
    """
    return SURROGATE.sub("\ufffd", text)
