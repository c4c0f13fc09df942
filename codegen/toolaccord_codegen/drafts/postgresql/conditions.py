"""Conditions of CHECK constraints as keywords of a schema, as far as these can say them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolaccord_codegen.drafts.postgresql.expressions import Node, parse_expression
from toolaccord_codegen.rules.schema import find_pattern_fault

Keywords = dict[str, Any]
Constant = str | int | float | bool | None
LARGEST = 10**9
"""The largest number of characters or items that a schema names; larger ones limit nothing."""
MOST_CHARACTERS = 17
"""Characters of a decimal number that JSON surely keeps."""
_FLIPPED: Mapping[str, str] = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "=": "="}
_BOUNDS: Mapping[str, str] = {">": "exclusiveMinimum", ">=": "minimum", "<": "exclusiveMaximum", "<=": "maximum"}
_MEASURES: Mapping[tuple[str, str], str] = {
    ("string", "length"): "Length",
    ("string", "char_length"): "Length",
    ("string", "character_length"): "Length",
    ("array", "cardinality"): "Items",
    ("array", "array_length"): "Items",
}
"""Functions that measure a value, by the type of its JSON."""
_TEXTS = frozenset({"text", "character varying"})
_INTEGERS = frozenset({"smallint", "integer", "bigint"})
_NUMBERS = _INTEGERS | {"numeric", "real", "double precision"}
_CASTS: Mapping[str, frozenset[str]] = {"string": _TEXTS, "integer": _NUMBERS, "number": _NUMBERS - _INTEGERS}
"""Types to which a value of a kind is cast without a change."""
_FOREIGN_REGEX = re.compile(r"\[[\[.:=]|\\[^dD.()\[\]{}*+?^$|/\\-]|\(\?(?!:)|^\*\*\*|[*+?}][+?]")
"""Parts of a regular expression that PostgreSQL and ECMAScript do not read alike."""


@dataclass(frozen=True, slots=True)
class Condition:
    """The keywords that a condition stands for, of one value."""

    keywords: Keywords
    is_whole: bool
    """False if the condition says more than the keywords."""


UNKNOWN = Condition({}, is_whole=False)


def read_condition(expression: str, name: str, kind: str) -> Condition:
    """Return what a condition says of the column *name*, whose JSON has the type *kind*."""
    try:
        return _Reader(name, kind).read(parse_expression(expression))
    except (ValueError, RecursionError):
        return UNKNOWN


def read_constant(expression: str) -> Constant:
    """Return the text, number or boolean that a default always is; None for any other."""
    try:
        return _constant(parse_expression(expression))
    except (ValueError, RecursionError):
        return None


def merge_keywords(first: Keywords, second: Keywords) -> Keywords:
    """Return keywords that admit what both admit; the second pattern of two is left out."""
    merged = {**second, **first}
    for keyword in first.keys() & second.keys():
        if keyword == "enum":
            merged[keyword] = [value for value in first[keyword] if value in second[keyword]] or first[keyword]
        elif keyword.lower().endswith(("minimum", "minlength", "minitems")):
            merged[keyword] = max(first[keyword], second[keyword])
        elif keyword != "pattern":
            merged[keyword] = min(first[keyword], second[keyword])
    return merged


def tighten(keywords: Keywords) -> Keywords:
    """Return keywords without a bound that another one makes idle."""
    kept = dict(keywords)
    for bound, exclusive, is_lower in (
        ("minimum", "exclusiveMinimum", True),
        ("maximum", "exclusiveMaximum", False),
    ):
        if bound in kept and exclusive in kept:
            is_tighter = kept[exclusive] >= kept[bound] if is_lower else kept[exclusive] <= kept[bound]
            del kept[bound if is_tighter else exclusive]
    if "enum" in kept:
        return {"enum": kept["enum"]}
    return kept


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads conditions of one column."""

    name: str
    kind: str

    def read(self, node: Node) -> Condition:
        """Return what a condition says."""
        if node.kind == "and":
            found = Condition({}, is_whole=True)
            for part in map(self.read, node.parts):
                repeats = "pattern" in found.keywords and "pattern" in part.keywords
                keywords = merge_keywords(found.keywords, part.keywords)
                found = Condition(keywords, found.is_whole and part.is_whole and not repeats)
            return found
        if node.kind == "or":
            return self._read_alternatives(node.parts)
        compared = self._read_comparison(node) if node.kind == "operator" else None
        return UNKNOWN if compared is None else Condition(compared, is_whole=True)

    def _read_alternatives(self, parts: Sequence[Node]) -> Condition:
        """Return what `x IS NULL OR …` says of a value; nothing is known of other alternatives."""
        others = [each for each in parts if not (each.kind == "null" and each.value and self._is_value(each.parts[0]))]
        return self.read(others[0]) if len(others) == 1 else UNKNOWN

    def _read_comparison(self, node: Node) -> Keywords | None:
        """Return the keywords of a comparison; None for one that keywords cannot say."""
        operator, (left, right) = str(node.value), node.parts
        if _constant(left) is not None and operator in _FLIPPED:
            operator, left, right = _FLIPPED[operator], right, left
        if self._is_value(left) and self.kind == "string" and operator in {"~", "<>"}:
            return self._read_pattern(_constant(right)) if operator == "~" else _read_empty(right)
        if operator == "=" and self._is_value(left):
            return self._read_list(right)
        bound = _constant(right)
        if operator not in _FLIPPED or not isinstance(bound, int | float) or isinstance(bound, bool):
            return None
        if self.kind in {"integer", "number"} and self._is_value(left):
            return self._read_bound(operator, bound)
        return self._read_size(operator, left, bound) if isinstance(bound, int) else None

    def _read_list(self, node: Node) -> Keywords | None:
        """Return the listed values of `= ANY (ARRAY[…])`, or the only one."""
        items: tuple[Node, ...] = (node,)
        if node.kind == "any":
            array = _uncast(node.parts[0])
            items = array.parts if array.kind == "array" else ()
        values = [_constant(each) for each in items]
        fit = {"string": str, "integer": int}.get(self.kind)
        if fit is None or not values or not all(type(value) is fit for value in values):
            return None
        return {"enum": [*dict.fromkeys(values)]}

    def _read_bound(self, operator: str, bound: float) -> Keywords | None:
        """Return the bound of a number."""
        if operator == "=":
            return None
        if self.kind == "integer" and isinstance(bound, int) and operator in {">", "<"}:
            return {"minimum": bound + 1} if operator == ">" else {"maximum": bound - 1}
        return {_BOUNDS[operator]: bound}

    def _read_size(self, operator: str, measure: Node, bound: int) -> Keywords | None:
        """Return the bounds of the characters of a text, or of the items of an array."""
        noun = _MEASURES.get((self.kind, str(measure.value))) if measure.kind == "call" else None
        if noun is None or not measure.parts or not self._is_value(measure.parts[0]):
            return None
        if measure.value == "array_length" and operator in {">", ">=", "="}:
            return None  # the length of an empty array is null, which passes
        least = {">": bound + 1, ">=": bound, "=": bound}.get(operator)
        most = {"<": bound - 1, "<=": bound, "=": bound}.get(operator)
        found = {f"min{noun}": least, f"max{noun}": most}
        kept = {key: value for key, value in found.items() if value is not None}
        return kept if all(0 <= value <= LARGEST for value in kept.values()) else None

    def _read_pattern(self, pattern: Constant) -> Keywords | None:
        """Return a regular expression that both languages read alike."""
        if not isinstance(pattern, str) or _FOREIGN_REGEX.search(pattern) or find_pattern_fault(pattern):
            return None
        return {"pattern": pattern}

    def _is_value(self, node: Node) -> bool:
        """Return True for the column itself, also in a cast that changes no value."""
        while node.kind == "cast":
            if node.value not in _CASTS.get(self.kind, ()):
                return False
            node = node.parts[0]
        return node.kind == "column" and node.value == self.name


def _read_empty(node: Node) -> Keywords | None:
    """Return the keyword of a text that is not empty."""
    return {"minLength": 1} if _constant(node) == "" else None


def _uncast(node: Node) -> Node:
    """Return an expression without the casts around it."""
    return _uncast(node.parts[0]) if node.kind == "cast" else node


def _constant(node: Node) -> Constant:
    """Return the value of a literal, also of a cast one; None for other expressions."""
    if node.kind == "cast":
        return _cast_constant(_constant(node.parts[0]), str(node.value))
    is_rounded = isinstance(node.value, float | int) and not _is_exact(node.value)
    return None if node.kind != "constant" or is_rounded else node.value


def _cast_constant(value: Constant, to: str) -> Constant:
    """Return a literal as the type to which it is cast; None where that changes it."""
    if to in _NUMBERS:
        text = str(value)
        number = float(text) if re.fullmatch(r"-?\d{1,15}\.\d{1,15}", text) else None
        number = int(text) if re.fullmatch(r"-?\d{1,18}", text) else number
        return number if number is not None and _is_exact(number) and not isinstance(value, bool) else None
    if to in _TEXTS or "." in to:  # an enum, or another type of the database
        return value if isinstance(value, str) and not to.endswith("[]") else None
    return value if to == "boolean" and isinstance(value, bool) else None


def _is_exact(number: float) -> bool:
    """Return True for a number that JSON does not round."""
    return abs(number) < 2**63 if isinstance(number, int) else len(f"{number}") < MOST_CHARACTERS
