"""One keyword of a schema against what it was: which rule it touches, and whether values are lost or gained."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from codegen.breaking.places import Node, Place
from codegen.references import as_array

ALL_TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
LIMITS = (("minLength", "maxLength", "LENGTH", "characters"), ("minItems", "maxItems", "ITEM_COUNT", "elements"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A keyword that changed."""

    rule: str
    keys: tuple[str, ...]
    """The keywords concerned."""
    message: str
    narrows: bool
    """Whether values of before are refused now."""
    widens: bool
    """Whether values are admitted that were not."""
    old: Place
    new: Place
    value: Any = None
    """Of an enum: the value that came or went."""
    circumstance: str = ""


def shown(value: Any) -> str:
    """A value in a sentence."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def steps(old: Node, new: Node) -> Iterator[Step]:
    """Every keyword that changed and that admits or refuses something by itself."""
    for judge in (types, values, bounds, limits, texts, multiples):
        yield from judge(old, new)


def step(rule: str, keys: tuple[str, ...], old: Node, new: Node, message: str, *, narrows: bool) -> Step:
    """A change that only narrows, or only widens."""
    return Step(
        rule=rule,
        keys=keys,
        message=message,
        narrows=narrows,
        widens=not narrows,
        old=old.spot(*keys),
        new=new.spot(*keys),
    )


def both(rule: str, keys: tuple[str, ...], old: Node, new: Node, message: str) -> Step:
    """A change that does both."""
    return Step(
        rule=rule,
        keys=keys,
        message=message,
        narrows=True,
        widens=True,
        old=old.spot(*keys),
        new=new.spot(*keys),
    )


def type_names(node: Node) -> frozenset[str]:
    """The types that a node admits; number admits what integer does."""
    said = node.value("type")
    names = ALL_TYPES if said is None else frozenset([said] if isinstance(said, str) else as_array(said))
    return names | {"integer"} if "number" in names else names


def types(old: Node, new: Node) -> Iterator[Step]:
    """The keyword `type`; null is a matter of its own."""
    before, after = type_names(old), type_names(new)
    gone, come = before - after, after - before
    said = f"the type was {shown(old.value('type'))} and is {shown(new.value('type'))}"
    if old.value("type") is None or new.value("type") is None:
        said = f"the type was {old.value('type') or 'any'} and is {new.value('type') or 'any'}"
    elif gone == {"null"} or come == {"null"}:
        if gone:
            yield step("NULL_REMOVED", ("type",), old, new, "null was allowed and is not", narrows=True)
        if come:
            yield step("NULL_ADDED", ("type",), old, new, "null was not allowed and is", narrows=False)
        gone, come = gone - {"null"}, come - {"null"}
    if gone and come:
        yield both("TYPE_CHANGED", ("type",), old, new, said)
    elif gone:
        yield step("TYPE_NARROWED", ("type",), old, new, said, narrows=True)
    elif come:
        yield step("TYPE_WIDENED", ("type",), old, new, said, narrows=False)


def listed(node: Node) -> list[Any] | None:
    """The values that a node admits, where it lists them."""
    if "const" in node.known:
        return [node.known["const"]]
    return as_array(node.known["enum"]) if "enum" in node.known else None


def values(old: Node, new: Node) -> Iterator[Step]:
    """The keywords `enum` and `const`."""
    before, after = listed(old), listed(new)
    keys = ("const", "enum")
    if before is None and after is not None:
        said = f"any value was allowed, now only {', '.join(map(shown, after))}"
        yield step("ENUM_ADDED", keys, old, new, said, narrows=True)
    elif before is not None and after is None:
        said = f"only {', '.join(map(shown, before))} {'was' if len(before) == 1 else 'were'} allowed, now any value is"
        yield step("ENUM_REMOVED", keys, old, new, said, narrows=False)
    elif "const" in old.known and "const" in new.known and before != after:
        said = f"the value was {shown(old.known['const'])} and is {shown(new.known['const'])}"
        yield both("CONST_CHANGED", keys, old, new, said)
    elif before is not None and after is not None:
        yield from enum_values(old, new, before, after)


def enum_values(old: Node, new: Node, before: list[Any], after: list[Any]) -> Iterator[Step]:
    """Every value that left an enum or came to it."""
    known, knows = [same(value) for value in before], [same(value) for value in after]
    for index, value in enumerate(before):
        if same(value) not in knows:
            yield Step(
                rule="ENUM_VALUE_REMOVED",
                keys=("const", "enum"),
                message=f"{shown(value)} was among the values and is not",
                narrows=True,
                widens=False,
                old=of_enum(old, index),
                new=new.spot("const", "enum"),
                value=value,
            )
    for index, value in enumerate(after):
        if same(value) not in known:
            yield Step(
                rule="ENUM_VALUE_ADDED",
                keys=("const", "enum"),
                message=f"{shown(value)} is a new value",
                narrows=False,
                widens=True,
                old=old.spot("const", "enum"),
                new=of_enum(new, index),
                value=value,
                circumstance="extensible" if is_extensible(old, before) else "",
            )


def of_enum(node: Node, index: int) -> Place:
    """Where a listed value stands."""
    return node.spot("const") if "const" in node.known else node.spot("enum").at(index)


def is_extensible(node: Node, known: list[Any]) -> bool:
    """Whether callers have been told that the enum may grow, and what to take an unknown value for."""
    return node.value("x-extensible-enum") is True and node.value("x-unknown") in known


def same(value: Any) -> str:
    """A text that is the same for values that JSON Schema calls equal."""
    return json.dumps(plain(value), sort_keys=True)


def plain(value: Any) -> Any:
    """A value in which whole numbers are integers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, list) else value


def bounds(old: Node, new: Node) -> Iterator[Step]:
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


def bound(node: Node, keys: tuple[str, str], sign: int) -> tuple[float, bool] | None:
    """A node's bound, so that a greater one is tighter, and whether it is itself excluded."""
    found = [(sign * node.known[key], key == keys[1]) for key in keys if isinstance(node.known.get(key), int | float)]
    return max(found, default=None)


def told(limit: tuple[float, bool] | None, word: str, sign: int) -> str:
    """A bound in a sentence."""
    if limit is None:
        return "of any size"
    excluded = {1: "above", -1: "below"}[sign]
    return f"{excluded if limit[1] else word} {shown(plain(sign * limit[0]))}"


def limits(old: Node, new: Node) -> Iterator[Step]:
    """The lengths of texts and arrays."""
    for least, most, rule, unit in LIMITS:
        for key, sign, word in ((least, 1, "at least"), (most, -1, "at most")):
            before, after = limit(old, key, sign), limit(new, key, sign)
            if before != after:
                tighter = before is None or (after is not None and after > before)
                name = f"{rule}_{'TIGHTENED' if tighter else 'RELAXED'}"
                was, now = (f"{word} {abs(n)}" if n is not None else "any number of" for n in (before, after))
                yield step(name, (key,), old, new, f"{was} {unit} were allowed, now {now}", narrows=tighter)


def limit(node: Node, key: str, sign: int) -> int | None:
    """A limit, so that a greater one is tighter; a least number of 0 is none."""
    said = node.known.get(key)
    return sign * int(said) if isinstance(said, int | float) and not (sign == 1 and said == 0) else None


def texts(old: Node, new: Node) -> Iterator[Step]:
    """The keywords `pattern` and `format`."""
    for key, rule in (("pattern", "PATTERN"), ("format", "FORMAT")):
        before, after = old.value(key), new.value(key)
        if before == after:
            continue
        if before is None:
            yield step(f"{rule}_ADDED", (key,), old, new, f"the {key} {after} is new", narrows=True)
        elif after is None:
            yield step(f"{rule}_REMOVED", (key,), old, new, f"the {key} {before} is gone", narrows=False)
        else:
            yield both(f"{rule}_CHANGED", (key,), old, new, f"the {key} was {before} and is {after}")


def multiples(old: Node, new: Node) -> Iterator[Step]:
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
