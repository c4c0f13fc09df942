"""Writer of JSON values as S-expressions, in which no value can become another expression."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import orjson

from toolaccord.semantics.json_pointers import split_pointer
from toolaccord.semantics.s_expressions import is_key, is_symbol
from toolaccord.semantics.version_steps import EACH

_Symbols: TypeAlias = Mapping[str, Any]
"""Places of symbols, as a tree. EACH is every item of an array, `_HERE` the value itself."""
_HERE = ""
_NONE: _Symbols = {}


def encode(value: Any, symbols: Iterable[str] = ()) -> bytes:
    """Return the JSON *value* as an S-expression in UTF-8.

    An object becomes a list of dotted pairs, in its own order and without the members that are None: `((a . 1))`. An
    array becomes a list, a boolean `#t` or `#f`. A float has ten significant digits. Strings are quoted and escaped as
    in JSON; those at a pointer of *symbols*, in which `*` is every item of an array, stand without quotes.

    Raises ValueError for a name, a symbol or a number that would be another expression, and for text that is not
    Unicode. Raises TypeError for a value of another type.
    """
    return _format(value, _tree(symbols)).encode()


def _tree(pointers: Iterable[str]) -> _Symbols:
    """Return the places of *pointers* as a tree."""
    root: dict[str, Any] = {}
    for pointer in pointers:
        place = root
        for token in (*split_pointer(pointer), _HERE):
            place = place.setdefault(token, {})
    return root


def _format(value: Any, symbols: _Symbols) -> str:
    """Return the expression of *value*. Raises ValueError and TypeError."""
    if isinstance(value, dict):
        members = (
            f"({_key(name)} . {_format(member, symbols.get(name, _NONE))})"
            for name, member in value.items()
            if member is not None
        )
        return f"({' '.join(members)})"
    if isinstance(value, list):
        below = symbols.get(EACH, _NONE)
        return f"({' '.join(_format(item, below) for item in value)})"
    if isinstance(value, str):
        return _symbol(value) if _HERE in symbols else _quote(value)
    if isinstance(value, bool):
        return "#t" if value else "#f"
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, float):
        raise TypeError(f"{type(value).__name__} has no S-expression")
    text = f"{value:.10g}"
    if not math.isfinite(float(text)):  # also the largest of all doubles, once it is rounded
        raise ValueError(f"the number {value} has no S-expression")
    return text


def _key(name: str) -> str:
    if not is_key(name):
        raise ValueError(f"{name!r} cannot be a key of an S-expression")
    return name


def _symbol(text: str) -> str:
    if not is_symbol(text):
        raise ValueError(f"{text!r} cannot be a symbol of an S-expression")
    return text


def _quote(text: str) -> str:
    """Return *text* in quotes. Raises ValueError if it is not Unicode."""
    try:
        return orjson.dumps(text).decode()
    except TypeError:
        raise ValueError("text that is not Unicode has no S-expression") from None
