"""Compare bounds, lengths, multiples, patterns and formats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from codegen.breaking.compare.keyword_change import (
    KeywordChange,
    format_value,
    normalize_number,
    one_way_change,
    two_way_change,
)
from codegen.loading.schema_nodes import SchemaNode

LENGTH_RULES = {"minLength": ("LENGTH", "characters"), "minItems": ("ITEM_COUNT", "items")}


def bound_changes(old: SchemaNode, new: SchemaNode) -> Iterator[KeywordChange]:
    """Yield changes of the bounds of numbers, inclusive or exclusive."""
    for keys, sign in ((("minimum", "exclusiveMinimum"), 1), (("maximum", "exclusiveMaximum"), -1)):
        before, after = _bound(old, keys, sign), _bound(new, keys, sign)
        if before != after:
            is_tighter = before is None or (after is not None and after > before)
            rule = "BOUND_TIGHTENED" if is_tighter else "BOUND_RELAXED"
            text = f"the {keys[0]} changed from {_describe_bound(before, sign)} to {_describe_bound(after, sign)}"
            yield one_way_change(rule, keys, old, new, text, narrows=is_tighter)


def _bound(node: SchemaNode, keys: tuple[str, str], sign: int) -> tuple[float, bool] | None:
    """Return a bound and its exclusiveness, signed so that a greater one is tighter."""
    found = [
        (sign * node.keywords[key], key == keys[1]) for key in keys if isinstance(node.keywords.get(key), int | float)
    ]
    return max(found, default=None)


def _describe_bound(bound: tuple[float, bool] | None, sign: int) -> str:
    """Return a bound for a message."""
    if bound is None:
        return "none"
    exclusive = {1: "above ", -1: "below "}[sign] if bound[1] else ""
    return f"{exclusive}{format_value(normalize_number(sign * bound[0]))}"


def length_changes(old: SchemaNode, new: SchemaNode, minimum_key: str, maximum_key: str) -> Iterator[KeywordChange]:
    """Yield changes of the length of texts or arrays."""
    rule, unit = LENGTH_RULES[minimum_key]
    for key, sign, bound in ((minimum_key, 1, "minimum"), (maximum_key, -1, "maximum")):
        before, after = _length_limit(old, key, sign), _length_limit(new, key, sign)
        if before != after:
            is_tighter = before is None or (after is not None and after > before)
            was, now = (abs(limit) if limit is not None else "none" for limit in (before, after))
            text = f"the {bound} number of {unit} changed from {was} to {now}"
            rule_id = f"{rule}_{'TIGHTENED' if is_tighter else 'RELAXED'}"
            yield one_way_change(rule_id, (key,), old, new, text, narrows=is_tighter)


def _length_limit(node: SchemaNode, key: str, sign: int) -> int | None:
    """Return a limit, signed so that a greater one is tighter. A minimum of 0 is no limit."""
    limit = node.keywords.get(key)
    return sign * int(limit) if isinstance(limit, int | float) and not (sign == 1 and limit == 0) else None


def text_keyword_changes(old: SchemaNode, new: SchemaNode) -> Iterator[KeywordChange]:
    """Yield changes of `pattern` and `format`."""
    for key, rule in (("pattern", "PATTERN"), ("format", "FORMAT")):
        before, after = old.value(key), new.value(key)
        if before == after:
            continue
        if key == "pattern" and before is not None and after is not None:
            yield from _pattern_changes(old, new)
        elif before is None:
            yield one_way_change(f"{rule}_ADDED", (key,), old, new, f"the {key} {after} was added", narrows=True)
        elif after is None:
            yield one_way_change(f"{rule}_REMOVED", (key,), old, new, f"the {key} {before} was removed", narrows=False)
        else:
            yield two_way_change(f"{rule}_CHANGED", (key,), old, new, f"the {key} changed from {before} to {after}")


def _pattern_changes(old: SchemaNode, new: SchemaNode) -> Iterator[KeywordChange]:
    """Yield the change of a pattern unless both match the same texts."""
    from codegen.schema_sets.regex_automata import includes  # noqa: PLC0415 - rarely needed and slow to import

    before, after = str(old.value("pattern")), str(new.value("pattern"))
    narrows, widens = not includes(after, before), not includes(before, after)
    found = two_way_change("PATTERN_CHANGED", ("pattern",), old, new, f"the pattern changed from {before} to {after}")
    if narrows or widens:
        circumstance = "" if narrows and widens else "narrower" if narrows else "wider"
        yield replace(found, narrows=narrows, widens=widens, circumstance=circumstance)


def multiple_changes(old: SchemaNode, new: SchemaNode) -> Iterator[KeywordChange]:
    """Yield changes of `multipleOf`."""
    key: tuple[str, ...] = ("multipleOf",)
    before, after = old.value("multipleOf"), new.value("multipleOf")
    if before == after:
        return
    text = f"multipleOf changed from {before or 'none'} to {after or 'none'}"
    if before is None or (after is not None and _is_multiple(after, before)):
        yield one_way_change("MULTIPLE_OF_TIGHTENED", key, old, new, text, narrows=True)
    elif after is None or _is_multiple(before, after):
        yield one_way_change("MULTIPLE_OF_RELAXED", key, old, new, text, narrows=False)
    else:
        yield two_way_change("MULTIPLE_OF_CHANGED", key, old, new, text)


def _is_multiple(number: float, of: float) -> bool:
    """Return True if a decimal number is a multiple of another, as written."""
    return Decimal(repr(number)) % Decimal(repr(of)) == 0
