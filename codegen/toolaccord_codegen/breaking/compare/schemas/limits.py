"""Compare bounds, lengths, multiples, patterns and formats."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Any

from toolaccord_codegen.breaking.compare.schemas.keyword_change import KeywordChange, format_value
from toolaccord_codegen.loading.json_equality import normalize_number
from toolaccord_codegen.loading.schema_nodes import SchemaNode

LIMITS = (
    ("integer", ("minimum", "exclusiveMinimum"), 1, "BOUND", "minimum"),
    ("integer", ("maximum", "exclusiveMaximum"), -1, "BOUND", "maximum"),
    ("string", ("minLength",), 1, "LENGTH", "minimum number of characters"),
    ("string", ("maxLength",), -1, "LENGTH", "maximum number of characters"),
    ("array", ("minItems",), 1, "ITEM_COUNT", "minimum number of items"),
    ("array", ("maxItems",), -1, "ITEM_COUNT", "maximum number of items"),
)
"""A type, its keywords, the sign that makes a greater limit tighter, its rules, a noun."""


def limit_changes(old: SchemaNode, new: SchemaNode, types: AbstractSet[str]) -> Iterator[KeywordChange]:
    """Yield changes of the limits of numbers, texts and arrays of some types."""
    for name, keys, sign, rule, noun in LIMITS:
        before, after = _limit(old, keys, sign), _limit(new, keys, sign)
        if name in types and before != after:
            is_tighter = before is None or (after is not None and after > before)
            text = f"the {noun} changed from {_describe_limit(before, sign)} to {_describe_limit(after, sign)}"
            rule_id = f"{rule}_{'TIGHTENED' if is_tighter else 'RELAXED'}"
            yield KeywordChange(rule_id, keys, text, narrows=is_tighter, widens=not is_tighter)


def _limit(node: SchemaNode, keys: tuple[str, ...], sign: int) -> tuple[float, bool] | None:
    """Return a limit and its exclusiveness, signed so that a greater one is tighter.

    A length of 0 is no minimum.
    """
    found = [
        (sign * node.keywords[key], key.startswith("exclusive"))
        for key in keys
        if isinstance(node.keywords.get(key), int | float)
        and (node.keywords[key] or key not in {"minLength", "minItems"})
    ]
    return max(found, default=None)


def _describe_limit(limit: tuple[float, bool] | None, sign: int) -> str:
    """Return a limit for a message."""
    if limit is None:
        return "none"
    exclusive = {1: "above ", -1: "below "}[sign] if limit[1] else ""
    return f"{exclusive}{format_value(normalize_number(sign * limit[0]))}"


def text_keyword_changes(old: SchemaNode, new: SchemaNode) -> Iterator[KeywordChange]:
    """Yield changes of `pattern` and `format`."""
    for key in ("pattern", "format"):
        before, after, rule = _checked(old, key), _checked(new, key), key.upper()
        if before == after:
            continue
        if before is None:
            yield KeywordChange(f"{rule}_ADDED", (key,), f"the {key} {after} was added", narrows=True)
        elif after is None:
            yield KeywordChange(f"{rule}_REMOVED", (key,), f"the {key} {before} was removed", widens=True)
        else:
            narrows, widens = _compare_patterns(str(before), str(after)) if key == "pattern" else (True, True)
            text = f"the {key} changed from {before} to {after}"
            if narrows or widens:
                yield KeywordChange(f"{rule}_CHANGED", (key,), text, narrows, widens)


def _checked(node: SchemaNode, key: str) -> Any:
    """Return a keyword for texts; None for a format that is not checked."""
    return node.format(checked=True) if key == "format" else node.value(key)


def _compare_patterns(before: str, after: str) -> tuple[bool, bool]:
    """Return whether a text may match the first pattern alone, and whether the second alone."""
    from toolaccord_codegen.schema_sets.regex_automata import includes  # noqa: PLC0415 - rarely needed and slow to import

    return not includes(after, before), not includes(before, after)


def multiple_changes(old: SchemaNode, new: SchemaNode) -> Iterator[KeywordChange]:
    """Yield changes of `multipleOf`."""
    before, after = old.value("multipleOf"), new.value("multipleOf")
    if before == after:
        return
    narrows = after is not None and (before is None or not _is_multiple(before, after))
    widens = before is not None and (after is None or not _is_multiple(after, before))
    rule = "CHANGED" if narrows and widens else "TIGHTENED" if narrows else "RELAXED"
    text = f"multipleOf changed from {before or 'none'} to {after or 'none'}"
    yield KeywordChange(f"MULTIPLE_OF_{rule}", ("multipleOf",), text, narrows, widens)


def _is_multiple(number: float, of: float) -> bool:
    """Return True if a decimal number is a multiple of another, as written."""
    return Decimal(repr(number)) % Decimal(repr(of)) == 0
