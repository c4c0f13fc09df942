"""Bounds, lengths, steps, patterns and formats, old and new."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from codegen.breaking.compare.keyword_change import Step, both, plain, shown, step
from codegen.loading.schema_nodes import SchemaNode

COUNTED = {"minLength": ("LENGTH", "characters"), "minItems": ("ITEM_COUNT", "elements")}


def bounds(old: SchemaNode, new: SchemaNode) -> Iterator[Step]:
    """The bounds of numbers, inclusive or not."""
    for keys, sign, word in (
        (("minimum", "exclusiveMinimum"), 1, "at least"),
        (("maximum", "exclusiveMaximum"), -1, "at most"),
    ):
        before, after = bound(old, keys, sign), bound(new, keys, sign)
        if before != after:
            tighter = before is None or (after is not None and after > before)
            said = f"a number {told(before, word, sign)} was allowed, now one {told(after, word, sign)} is"
            yield step("BOUND_TIGHTENED" if tighter else "BOUND_RELAXED", keys, old, new, said, narrows=tighter)


def bound(node: SchemaNode, keys: tuple[str, str], sign: int) -> tuple[float, bool] | None:
    """A node's bound, so that a greater one is tighter, and whether it is itself excluded."""
    found = [
        (sign * node.keywords[key], key == keys[1]) for key in keys if isinstance(node.keywords.get(key), int | float)
    ]
    return max(found, default=None)


def told(limit: tuple[float, bool] | None, word: str, sign: int) -> str:
    """A bound in a sentence."""
    if limit is None:
        return "of any size"
    excluded = {1: "above", -1: "below"}[sign]
    return f"{excluded if limit[1] else word} {shown(plain(sign * limit[0]))}"


def limits(old: SchemaNode, new: SchemaNode, least: str, most: str) -> Iterator[Step]:
    """The length of texts, or of arrays."""
    rule, unit = COUNTED[least]
    for key, sign, word in ((least, 1, "at least"), (most, -1, "at most")):
        before, after = limit(old, key, sign), limit(new, key, sign)
        if before != after:
            tighter = before is None or (after is not None and after > before)
            name = f"{rule}_{'TIGHTENED' if tighter else 'RELAXED'}"
            was, now = (f"{word} {abs(n)}" if n is not None else "any number of" for n in (before, after))
            yield step(name, (key,), old, new, f"{was} {unit} were allowed, now {now}", narrows=tighter)


def limit(node: SchemaNode, key: str, sign: int) -> int | None:
    """A limit, so that a greater one is tighter; a least number of 0 is none."""
    said = node.keywords.get(key)
    return sign * int(said) if isinstance(said, int | float) and not (sign == 1 and said == 0) else None


def texts(old: SchemaNode, new: SchemaNode) -> Iterator[Step]:
    """The keywords `pattern` and `format`."""
    for key, rule in (("pattern", "PATTERN"), ("format", "FORMAT")):
        before, after = old.value(key), new.value(key)
        if before == after:
            continue
        if key == "pattern" and before is not None and after is not None:
            yield from patterns(old, new)
        elif before is None:
            yield step(f"{rule}_ADDED", (key,), old, new, f"the {key} {after} is new", narrows=True)
        elif after is None:
            yield step(f"{rule}_REMOVED", (key,), old, new, f"the {key} {before} is gone", narrows=False)
        else:
            yield both(f"{rule}_CHANGED", (key,), old, new, f"the {key} was {before} and is {after}")


def patterns(old: SchemaNode, new: SchemaNode) -> Iterator[Step]:
    """Two patterns; nothing where they match the same."""
    from codegen.schema_sets.regex_automata import includes  # noqa: PLC0415 - most changes touch no pattern, and it loads slowly

    before, after = str(old.value("pattern")), str(new.value("pattern"))
    narrows, widens = not includes(after, before), not includes(before, after)
    found = both("PATTERN_CHANGED", ("pattern",), old, new, f"the pattern was {before} and is {after}")
    if narrows or widens:
        circumstance = "" if narrows and widens else "narrower" if narrows else "wider"
        yield replace(found, narrows=narrows, widens=widens, circumstance=circumstance)


def multiples(old: SchemaNode, new: SchemaNode) -> Iterator[Step]:
    """The keyword `multipleOf`."""
    key: tuple[str, ...] = ("multipleOf",)
    before, after = old.value("multipleOf"), new.value("multipleOf")
    if before == after:
        return
    said = f"a multiple of {before or 'anything'} was asked for, now of {after or 'anything'}"
    if before is None or (after is not None and is_multiple(after, before)):
        yield step("MULTIPLE_OF_TIGHTENED", key, old, new, said, narrows=True)
    elif after is None or is_multiple(before, after):
        yield step("MULTIPLE_OF_RELAXED", key, old, new, said, narrows=False)
    else:
        yield both("MULTIPLE_OF_CHANGED", key, old, new, said)


def is_multiple(number: float, of: float) -> bool:
    """Whether a decimal number, as it is written, is a multiple of another."""
    return Decimal(repr(number)) % Decimal(repr(of)) == 0
