"""Places in results, to which views point."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from toolaccord.semantics.json_pointers import split_pointer
from toolaccord_codegen.loading.references import UNIONS, as_array, list_branches

Schema: TypeAlias = Mapping[str, Any]
Format: TypeAlias = Literal["number", "integer", "boolean", "text", "date", "date-time"]
"""The form in which a view shows a value."""
ITEMS = "*"
"""The token of a pointer for every item of an array."""
_TEXTS: Mapping[Any, Format] = {"date": "date", "date-time": "date-time"}
_SCALARS: Mapping[str, Format] = {"number": "number", "integer": "integer", "boolean": "boolean"}
_PYTHON_TYPES: Mapping[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    type(None): "null",
}
UNITS: Mapping[str, str] = {
    **dict.fromkeys(("pct", "percent", "percentage"), "%"),
    **dict.fromkeys(("s", "sec", "secs", "seconds"), "s"),
    **dict.fromkeys(("ms", "millis", "milliseconds"), "ms"),
    **{each: each for each in ("bps", "minutes", "hours", "days", "bytes")},
    **{each.lower(): each for each in ("USD", "USDT", "USDC", "EUR", "GBP", "JPY", "CNY", "RUB", "BTC", "ETH", "MB")},
}
"""Units by the last words of names that declare them."""
WORDS: Mapping[str, str] = {
    "avg": "average",
    "dd": "drawdown",
    "num": "number of",
    "pnl": "PnL",
    "ts": "time",
    **{each.lower(): each for each in ("API", "ATR", "CPU", "EMA", "ID", "ISIN", "MACD", "RSI", "SMA", "URL", "VWAP")},
}
"""Words that people write in another way than names do."""
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Places between the words of a name such as maxDrawdown."""


@dataclass(frozen=True, slots=True)
class ResultPlace:
    """A place in a result, in all alternatives that have it."""

    pointer: str
    schemas: tuple[Schema, ...]
    """Its schemas without null; none where the pointer leads nowhere."""

    @property
    def formats(self) -> frozenset[Format | None]:
        """Return the forms of its values; None stands for arrays, objects and unknown values."""
        found = frozenset(map(_find_format, self.schemas))
        return frozenset({"number"}) if found == {"number", "integer"} else found

    @property
    def label(self) -> str:
        """Return the title of its values, or the words of its name without the unit."""
        words = split_name(self._name)
        is_measured = self.unit == UNITS.get(words[-1] if words else "") and len(words) > 1
        return self._find("title") or name_in_words("_".join(words[:-1]) if is_measured else self._name)

    @property
    def _name(self) -> str:
        return next((each for each in reversed(split_pointer(self.pointer)) if each != ITEMS), "")

    @property
    def unit(self) -> str:
        """Return the unit of its numbers: `x-unit`, else the end of its name; empty without one."""
        words = split_name(self._name)
        is_number = frozenset() < self.formats <= {"number", "integer"}
        return self._find("x-unit") or (UNITS.get(words[-1], "") if len(words) > 1 and is_number else "")

    def describe(self) -> dict[str, str]:
        """Return the column of a view for a place with one format."""
        (form,) = self.formats
        facts = {
            "label": self.label,
            "format": form,
            "unit": self.unit,
            "description": self._find("description"),
        }
        return {"pointer": self.pointer, **{key: fact for key, fact in facts.items() if fact}}

    def _find(self, keyword: str) -> str:
        """Return the first value of a keyword that is a text; empty without one."""
        return next((each[keyword] for each in self.schemas if isinstance(each.get(keyword), str)), "")


def find_place(schema: Schema, pointer: str) -> ResultPlace:
    """Return the place to which a pointer leads; *schema* has its references inlined."""
    found = list(list_alternatives(schema))
    for token in split_pointer(pointer):
        found = [each for holder in found for inner in _step(holder, token) for each in list_alternatives(inner)]
    return ResultPlace(pointer, tuple(found))


def list_alternatives(schema: Schema) -> Iterator[Schema]:
    """Yield the schemas of a value in each branch of its unions, without null.

    Its own annotations replace those of a branch.
    """
    branches = list_branches(schema)
    own = {key: value for key, value in schema.items() if key not in UNIONS}
    if (not branches or {"properties", "items"} & own.keys()) and schema.get("type") != "null":
        yield own
    beside = {key: value for key, value in own.items() if key in {"title", "description", "x-unit"}}
    for branch in branches:
        yield from list_alternatives({**branch, **beside})


def _step(holder: Schema, token: str) -> list[Schema]:
    """Return the schema below a token, if there is one."""
    found = holder.get("items") if token == ITEMS else holder.get("properties", {}).get(token)
    return [found] if isinstance(found, Mapping) else []


def _find_format(schema: Schema) -> Format | None:
    """Return the form in which a view shows a value; None for one that it cannot show."""
    values = as_array(schema.get("enum", [schema["const"]] if "const" in schema else []))
    types = schema.get("type", [_PYTHON_TYPES.get(type(value), "object") for value in values])
    named = [types] if isinstance(types, str) else as_array(types)  # another type is a fault of the schema, too
    kinds = {each for each in named if isinstance(each, str)} - {"null"}
    if not kinds or kinds & {"array", "object"}:
        return None
    if kinds == {"string"}:
        return _TEXTS.get(str(schema.get("format")), "text")
    if len(kinds) == 1:
        return _SCALARS.get(kinds.pop())  # an unknown type is a fault of the schema
    return "number" if kinds == {"number", "integer"} else "text"


def name_in_words(name: str) -> str:
    """Return a name as people read it: max_drawdown and maxDrawdown are Max drawdown."""
    text = " ".join(WORDS.get(word.lower(), word) for word in split_name(name)) or name
    return text[:1].upper() + text[1:]


def split_name(name: str) -> list[str]:
    """Return the words of a name; one in capitals alone keeps them."""
    parts = _BETWEEN_WORDS.split(name)
    words = [word for part in parts for word in ([part] if part.lower() in WORDS else _HUMPS.split(part)) if word]
    return [word if len(word) > 1 and word.isupper() else word.lower() for word in words]
