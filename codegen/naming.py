"""Names, literals and docstrings: the only ways from a contract's text into Python code.

A contract is untrusted text. Whatever of it reaches a generated file passes through one of these functions.
"""

from __future__ import annotations

import builtins
import keyword
import re
import textwrap
from typing import Any, Self

CHUNK = 80
"""Characters of a string literal that stand on one line; longer ones are written in pieces."""
DOCSTRING_WIDTH = 110

MODULES = frozenset({"errors", "models", "schemas", "shared"})
"""Modules that generated code and handlers know by these names."""
SANITISED = re.compile(r"[^A-Za-z0-9_-]")
"""What hosts replace by `_` in the name of a tool."""


class Identifier(str):
    """A Python name in snake_case, made from a contract's name."""

    __slots__ = ()

    def __new__(cls, name: str) -> Self:
        """Make the name."""
        snake = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_").lower()
        if not snake or snake[0].isdigit():
            snake = f"x{snake}"
        taken = keyword.iskeyword(snake) or hasattr(builtins, snake) or snake in MODULES
        return super().__new__(cls, f"{snake}_" if taken else snake)


class ClassName(str):
    """A Python class name in CamelCase, made from a contract's name."""

    __slots__ = ()

    def __new__(cls, name: str) -> Self:
        """Make the name."""
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


def sanitised(name: str) -> str:
    """A tool's name as hosts show it to models."""
    return SANITISED.sub("_", name)


def literal(value: Any) -> str:
    """A JSON value as a Python expression; long strings stand in several pieces, so that lines stay short."""
    if isinstance(value, str):
        return string_literal(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    return repr(value)


def string_literal(text: str) -> str:
    """A string as a Python expression."""
    if len(text) <= CHUNK + 20:
        return repr(text)
    pieces = re.findall(rf"(?s).{{1,{CHUNK}}}(?:(?<=\s)|$)|.{{{CHUNK}}}", text)
    return "(" + " ".join(repr(piece) for piece in pieces) + ")"


def docstring(text: str) -> str:
    """Text as a docstring, quotes included. Its first line stays whole, as a summary does; the others are wrapped.

    Nothing in it is escaped, because nothing can be: it has no three quotes, no quote at its end, and is raw where it
    has backslashes.
    """
    first, _, rest = printable(text).strip().replace('"""', "'''").partition("\n")
    lines = [sentence(first.strip()), *(["", *wrapped(rest.strip(), DOCSTRING_WIDTH)] if rest.strip() else [])]
    body = "\n".join(lines) + ("\n" if len(lines) > 1 else "")
    raw = "r" if "\\" in body else ""
    return f'{raw}"""{body}"""'


def sentence(text: str) -> str:
    """A line that ends with a full stop, or what else ends a sentence."""
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."


def wrapped(text: str, width: int) -> list[str]:
    """Text in lines of at most `width`; words are never cut, so that no escape is."""
    return [
        line
        for part in text.splitlines()
        for line in (textwrap.wrap(part, width, break_long_words=False, break_on_hyphens=False) or [""])
    ]


def printable(text: str) -> str:
    """Text without characters that an editor would not show, or would show as something else."""
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)
