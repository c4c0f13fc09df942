"""Conversion of a contract's text into Python names, literals and docstrings.

A contract is untrusted text: every part of it that enters a generated file passes through these functions.
"""

from __future__ import annotations

import builtins
import keyword
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import timedelta
from functools import singledispatch
from itertools import takewhile
from typing import Any, Self

WIDE_RECORD = 4
"""Arguments of a record that may share a line; each of more has its own."""
STRING_WIDTH = 80
"""Characters of a string literal per line; longer literals are split."""
DOCSTRING_WIDTH = 110
SUMMARY_WIDTH = 90
"""Characters of a docstring's first line at most."""
SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\W\w\.)\s+")
"""The space after a sentence; a full stop after a single letter, as in `e.g.`, ends none."""

RESERVED_MODULES = frozenset({"errors", "models", "schemas", "shared"})
"""Module names that generated code and handlers already use."""
UNSAFE_CHARACTERS = re.compile(r"[^A-Za-z0-9_-]")
"""Characters that hosts replace by `_` in the name of a tool."""


def describe_reserved(name: str) -> str:
    """Return the reason for which a contract cannot use a name."""
    if keyword.iskeyword(name):
        return f'"{name}" is a keyword of Python'
    return f'"{name}" is {"a name of Python" if hasattr(builtins, name) else "taken"}'


class Identifier(str):
    """A Python name in snake_case, made from a contract's name."""

    __slots__ = ()

    def __new__(cls, name: str) -> Self:
        """Make the name; an underscore is appended to a reserved one."""
        snake = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_").lower()
        if not snake or snake[0].isdigit():
            snake = f"x{snake}"
        taken = keyword.iskeyword(snake) or hasattr(builtins, snake) or snake in RESERVED_MODULES
        return super().__new__(cls, f"{snake}_" if taken else snake)


class ClassName(str):
    """A Python class name in CamelCase, made from a contract's name."""

    __slots__ = ()

    def __new__(cls, name: str) -> Self:
        """Make the name; an underscore is appended to a keyword."""
        words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])", re.sub(r"\W|_", " ", name, flags=re.ASCII))
        camel = "".join(word[:1].upper() + word[1:].lower() for word in words) or "X"
        camel = f"X{camel}" if camel[0].isdigit() else camel
        return super().__new__(cls, f"{camel}_" if keyword.iskeyword(camel) else camel)


class ConstantName(str):
    """A Python constant's name in CAPITALS, made from a contract's name."""

    __slots__ = ()

    def __new__(cls, name: str) -> Self:
        """Make the name."""
        return super().__new__(cls, Identifier(name).rstrip("_").upper())


def mcp_server_name(module: str) -> str:
    """Return the name of a new server, which hosts show, made from that of its module."""
    return f"{module.replace('_', '-')}-mcp"


def host_tool_name(name: str) -> str:
    """Return a tool's name as hosts show it to models."""
    return UNSAFE_CHARACTERS.sub("_", name)


class NameReference(str):
    """A Python name that stands in a JSON value instead of the value that it has."""

    __slots__ = ()


@singledispatch
def format_literal(value: Any) -> str:
    """Return JSON, a date, a duration, a tuple or a frozen record as a Python expression.

    Long strings are split over several lines. The module that holds the expression imports the names of its classes.
    """
    return _format_record(value) if is_dataclass(value) else repr(value).removeprefix("datetime.")


def _format_record(record: Any) -> str:
    """Return a frozen record as a call of its class; a field that has its default is left out.

    The first fields have no names if the class takes them by their place.
    """
    given = dict(list_arguments(record))
    placed = takewhile(lambda each: not each.kw_only and each.name in given, fields(record))
    return format_call(type(record).__name__, given, [each.name for each in placed])


def format_call(function: str, arguments: Mapping[str, Any], placed: Sequence[str] = ()) -> str:
    """Return a call as a Python expression; arguments in *placed* have no names."""
    formatted = [
        format_literal(value) if name in placed else f"{name}={format_literal(value)}"
        for name, value in arguments.items()
    ]
    return f"{function}({', '.join(formatted)}{',' if len(formatted) > WIDE_RECORD else ''})"


def list_arguments(record: Any) -> Iterator[tuple[str, Any]]:
    """List name and value of each field of a record that differs from its default."""
    for each in fields(record):
        default = each.default if each.default_factory is MISSING else each.default_factory()
        value = getattr(record, each.name)
        if value != default or type(value) is not type(default):
            yield each.name, value


@format_literal.register
def _(name: NameReference) -> str:
    return name


@format_literal.register
def _(members: dict) -> str:  # type: ignore[type-arg] # singledispatch takes a class
    return "{" + ", ".join(f"{format_literal(key)}: {format_literal(item)}" for key, item in members.items()) + "}"


@format_literal.register
def _(items: list) -> str:  # type: ignore[type-arg]
    return "[" + ", ".join(map(format_literal, items)) + "]"


@format_literal.register
def _(items: tuple) -> str:  # type: ignore[type-arg]
    """Format a tuple; one of records has one of them a line."""
    end = "," if len(items) == 1 or any(map(is_dataclass, items)) else ""
    return f"({', '.join(map(format_literal, items))}{end})"


@format_literal.register
def _(duration: timedelta) -> str:
    seconds = duration.total_seconds()
    return f"timedelta(seconds={int(seconds) if seconds.is_integer() else seconds})"


@format_literal.register
def _(text: str) -> str:
    """Format a string; a long one is split."""
    if len(text) <= STRING_WIDTH + 20:
        return repr(text)
    pieces = re.findall(rf"(?s).{{1,{STRING_WIDTH}}}(?:(?<=\s)|$)|.{{{STRING_WIDTH}}}", text)
    return "(" + " ".join(repr(piece) for piece in pieces) + ")"


def format_docstring(text: str, title: str | None = None) -> str:
    """Format text as a docstring, quotes included: a summary line, then the rest, wrapped.

    *title* is the summary of a text that begins with too long a sentence; without one, that sentence is wrapped.
    Nothing needs an escape: triple quotes become single ones, and text with backslashes becomes a raw string.
    """
    first, _, others = replace_unprintable(text).strip().replace('"""', "'''").partition("\n")
    summary, rest = split_summary(first.strip(), title)
    paragraphs = [wrap_text(part, DOCSTRING_WIDTH) for part in (summary, rest, others.strip()) if part]
    lines = [line for paragraph in paragraphs for line in ("", *paragraph)][1:] or [""]
    body = "\n".join(lines) + ("\n" if len(lines) > 1 else "")
    raw = "r" if "\\" in body else ""
    return f'{raw}"""{body}"""'


def split_summary(text: str, title: str | None = None) -> tuple[str, str]:
    """Split a line into a summary of at most SUMMARY_WIDTH characters and the rest.

    The summary holds the leading sentences that fit. A first sentence that does not fit ends at its last semicolon that
    does. Without one *title* is the summary, and the rest is the whole text. A short line has an empty rest, and a long
    sentence without a title an empty summary.
    """
    text = end_sentence(text)
    if len(text) <= SUMMARY_WIDTH:
        return text, ""
    ends = [match.start() for match in SENTENCE_END.finditer(text[: SUMMARY_WIDTH + 1])]
    if ends:
        return text[: ends[-1]], text[ends[-1] :].strip()
    clause, semicolon, _ = text[:SUMMARY_WIDTH].rpartition("; ")
    if semicolon:
        rest = text[len(clause) + len(semicolon) :]
        return f"{clause}.", rest[0].upper() + rest[1:]
    return (end_sentence(title) if title and len(title) < SUMMARY_WIDTH else ""), text


def end_sentence(text: str) -> str:
    """Return a line that ends with a full stop or another end of a sentence."""
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."


def wrap_text(text: str, width: int) -> list[str]:
    """Return text in lines of at most `width` characters; words, and so escapes, are never cut."""
    return [
        line
        for part in text.splitlines()
        for line in (textwrap.wrap(part, width, break_long_words=False, break_on_hyphens=False) or [""])
    ]


def replace_unprintable(text: str) -> str:
    """Return text with spaces for characters that an editor would hide or alter."""
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)
