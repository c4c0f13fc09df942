"""One keyword of a schema against what it was: which rule it touches, and whether values are lost or gained."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from codegen.breaking.compare.keyword_change import Step, both, plain, same, shown, step
from codegen.breaking.compare.limits import bounds, limits, multiples, texts
from codegen.loading.references import as_array
from codegen.loading.schema_nodes import Place, SchemaNode
from codegen.schema_sets.containment import ALL_TYPES


def steps(old: SchemaNode, new: SchemaNode) -> Iterator[Step]:
    """Every keyword that changed and that admits or refuses something by itself, of a type that both sides admit."""
    shared = type_names(old) & type_names(new)
    yield from types(old, new)
    if shared:
        yield from values(old, new)
    for names, judge in (({"integer", "number"}, bounds), ({"integer", "number"}, multiples), ({"string"}, texts)):
        if names & shared:
            yield from judge(old, new)
    for name, keys in (("string", ("minLength", "maxLength")), ("array", ("minItems", "maxItems"))):
        if name in shared:
            yield from limits(old, new, *keys)


def type_names(node: SchemaNode) -> frozenset[str]:
    """The types that a node admits; number admits what integer does."""
    said, known = node.value("type"), listed(node)
    names = ALL_TYPES if said is None else frozenset([said] if isinstance(said, str) else as_array(said))
    if known is not None and said is None:
        names = frozenset(map(type_name, known))
    return names | {"integer"} if "number" in names else names


def type_name(value: Any) -> str:
    """The type of a value in JSON Schema, in which 1.0 is an integer."""
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(plain(value)), "null")


def types(old: SchemaNode, new: SchemaNode) -> Iterator[Step]:
    """The keyword `type`; null is a matter of its own, and so are values without a type."""
    key, before, after = ("type",), type_names(old), type_names(new)
    gone, come = before - after, after - before
    was, now = (node.value("type") for node in (old, new))
    if was == now:
        return
    if was is not None and now is not None and (gone == {"null"} or come == {"null"}):
        yield from nulls(old, new, gone, come)
        gone, come = gone - {"null"}, come - {"null"}
    said = f"the type was {'any' if was is None else shown(was)} and is {'any' if now is None else shown(now)}"
    if gone and come:
        yield both("TYPE_CHANGED", key, old, new, said)
    elif gone or come:
        yield step("TYPE_NARROWED" if gone else "TYPE_WIDENED", key, old, new, said, narrows=bool(gone))


def nulls(old: SchemaNode, new: SchemaNode, gone: AbstractSet[str], come: AbstractSet[str]) -> Iterator[Step]:
    """Null among the types."""
    if "null" in gone:
        yield step("NULL_REMOVED", ("type",), old, new, "null was allowed and is not", narrows=True)
    if "null" in come:
        yield step("NULL_ADDED", ("type",), old, new, "null was not allowed and is", narrows=False)


def listed(node: SchemaNode) -> list[Any] | None:
    """The values that a node admits, where it lists them."""
    if "const" in node.keywords:
        return [node.keywords["const"]]
    return as_array(node.keywords["enum"]) if "enum" in node.keywords else None


def values(old: SchemaNode, new: SchemaNode) -> Iterator[Step]:
    """The keywords `enum` and `const`."""
    before, after = listed(old), listed(new)
    keys = ("const", "enum")
    if before is None and after is not None:
        said = f"any value was allowed, now only {', '.join(map(shown, after))}"
        yield step("ENUM_ADDED", keys, old, new, said, narrows=True)
    elif before is not None and after is None:
        said = f"only {', '.join(map(shown, before))} {'was' if len(before) == 1 else 'were'} allowed, now any value is"
        yield step("ENUM_REMOVED", keys, old, new, said, narrows=False)
    elif "const" in old.keywords and "const" in new.keywords and before != after:
        said = f"the value was {shown(old.keywords['const'])} and is {shown(new.keywords['const'])}"
        yield both("CONST_CHANGED", keys, old, new, said)
    elif before is not None and after is not None:
        yield from enum_values(old, new, before, after)


def enum_values(old: SchemaNode, new: SchemaNode, before: list[Any], after: list[Any]) -> Iterator[Step]:
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
                new=new.keyword_place("const", "enum"),
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
                old=old.keyword_place("const", "enum"),
                new=of_enum(new, index),
                value=value,
                circumstance="extensible" if is_extensible(old, before) else "",
            )


def of_enum(node: SchemaNode, index: int) -> Place:
    """Where a listed value stands."""
    return node.keyword_place("const") if "const" in node.keywords else node.keyword_place("enum").at(index)


def is_extensible(node: SchemaNode, known: list[Any]) -> bool:
    """Whether callers have been told that the enum may grow, and what to take an unknown value for."""
    return node.value("x-extensible-enum") is True and node.value("x-unknown") in known
