"""A strict reader of S-expressions: it accepts the grammar of the writer and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-f]{4})*")'
    r"|(?P<mark>[()])|(?P<dot> \. )|(?P<space> )|(?P<boolean>#[tf])"
    r"|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-][0-9]+)?)|(?P<word>[a-z][a-z0-9_-]*)"
)


@dataclass(frozen=True, slots=True)
class Word:
    """A symbol or a key."""

    text: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A dotted pair."""

    key: Any
    value: Any


Tokens: TypeAlias = "list[re.Match[str]]"


def read(text: str) -> Any:
    """Return the datum of *text*, made of lists, pairs, words, strings, numbers and booleans.

    Raises AssertionError.
    """
    tokens = list(_tokens(text))[::-1]
    datum = _datum(tokens)
    assert not tokens, f"something follows: {text!r}"
    return datum


def _tokens(text: str) -> Iterator[re.Match[str]]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match, f"no token at {at} of {text!r}"
        at = match.end()
        yield match


def _datum(tokens: Tokens) -> Any:
    token = tokens.pop()
    kind, text = token.lastgroup, token.group()
    if kind == "string":
        return json.loads(text)
    if kind == "number":
        return float(text) if set(text) & set(".e") else int(text)
    if kind == "boolean":
        return text == "#t"
    if kind == "word":
        return Word(text)
    assert text == "(", f"{text!r} begins no datum"
    return _list(tokens)


def _list(tokens: Tokens) -> Any:
    """Return a list, or a pair: the opening parenthesis is read."""
    if tokens[-1].group() == ")":
        tokens.pop()
        return []
    items = [_datum(tokens)]
    if tokens[-1].lastgroup == "dot":
        tokens.pop()
        pair = Pair(items[0], _datum(tokens))
        assert tokens.pop().group() == ")", "a pair has two parts"
        return pair
    while (separator := tokens.pop().group()) == " ":
        items.append(_datum(tokens))
    assert separator == ")", f"{separator!r} ends no list"
    return items
