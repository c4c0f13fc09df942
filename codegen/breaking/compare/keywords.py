"""Compare the keywords of two schemas."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from codegen.breaking.compare.keyword_change import (
    KeywordChange,
    canonical_json,
    format_value,
    normalize_number,
    one_way_change,
    two_way_change,
)
from codegen.breaking.compare.limits import (
    bound_changes,
    length_changes,
    multiple_changes,
    text_keyword_changes,
)
from codegen.loading.references import as_array
from codegen.loading.schema_nodes import Place, SchemaNode
from codegen.schema_sets.containment import ALL_TYPES


def keyword_changes(old: SchemaNode, new: SchemaNode) -> Iterator[KeywordChange]:
    """Yield the changed keywords of types that both schemas admit."""
    shared = type_names(old) & type_names(new)
    yield from _type_changes(old, new)
    if shared:
        yield from _enum_changes(old, new)
    for names, compare in (
        ({"integer", "number"}, bound_changes),
        ({"integer", "number"}, multiple_changes),
        ({"string"}, text_keyword_changes),
    ):
        if names & shared:
            yield from compare(old, new)
    for name, keys in (("string", ("minLength", "maxLength")), ("array", ("minItems", "maxItems"))):
        if name in shared:
            yield from length_changes(old, new, *keys)


def type_names(node: SchemaNode) -> frozenset[str]:
    """Return the types that a schema admits. `number` includes `integer`."""
    text, known = node.value("type"), _enumerated_values(node)
    names = ALL_TYPES if text is None else frozenset([text] if isinstance(text, str) else as_array(text))
    if known is not None and text is None:
        names = frozenset(map(_type_name, known))
    return names | {"integer"} if "number" in names else names


def _type_name(value: Any) -> str:
    """Return the JSON Schema type of a value. 1.0 is an integer."""
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(normalize_number(value)), "null")


def _type_changes(old: SchemaNode, new: SchemaNode) -> Iterator[KeywordChange]:
    """Yield changes of `type`. Null and absent types are separate cases."""
    key, before, after = ("type",), type_names(old), type_names(new)
    removed, added = before - after, after - before
    was, now = (node.value("type") for node in (old, new))
    if was == now:
        return
    if was is not None and now is not None and (removed == {"null"} or added == {"null"}):
        yield from _null_changes(old, new, removed, added)
        removed, added = removed - {"null"}, added - {"null"}
    text = f"the type changed from {'any' if was is None else format_value(was)} to {'any' if now is None else format_value(now)}"
    if removed and added:
        yield two_way_change("TYPE_CHANGED", key, old, new, text)
    elif removed or added:
        yield one_way_change("TYPE_NARROWED" if removed else "TYPE_WIDENED", key, old, new, text, narrows=bool(removed))


def _null_changes(
    old: SchemaNode, new: SchemaNode, removed: AbstractSet[str], added: AbstractSet[str]
) -> Iterator[KeywordChange]:
    """Yield the change of null among the types."""
    if "null" in removed:
        yield one_way_change("NULL_REMOVED", ("type",), old, new, "null is no longer allowed", narrows=True)
    if "null" in added:
        yield one_way_change("NULL_ADDED", ("type",), old, new, "null is now allowed", narrows=False)


def _enumerated_values(node: SchemaNode) -> list[Any] | None:
    """Return the values of `const` or `enum`, or None."""
    if "const" in node.keywords:
        return [node.keywords["const"]]
    return as_array(node.keywords["enum"]) if "enum" in node.keywords else None


def _enum_changes(old: SchemaNode, new: SchemaNode) -> Iterator[KeywordChange]:
    """Yield changes of `enum` and `const`."""
    before, after = _enumerated_values(old), _enumerated_values(new)
    keys = ("const", "enum")
    if before is None and after is not None:
        text = f"any value was allowed, now only {', '.join(map(format_value, after))}"
        yield one_way_change("ENUM_ADDED", keys, old, new, text, narrows=True)
    elif before is not None and after is None:
        text = f"only {', '.join(map(format_value, before))} {'was' if len(before) == 1 else 'were'} allowed, now any value is"
        yield one_way_change("ENUM_REMOVED", keys, old, new, text, narrows=False)
    elif "const" in old.keywords and "const" in new.keywords and before != after:
        text = f"the value changed from {format_value(old.keywords['const'])} to {format_value(new.keywords['const'])}"
        yield two_way_change("CONST_CHANGED", keys, old, new, text)
    elif before is not None and after is not None:
        yield from _enum_value_changes(old, new, before, after)


def _enum_value_changes(
    old: SchemaNode, new: SchemaNode, before: list[Any], after: list[Any]
) -> Iterator[KeywordChange]:
    """Yield every value that was added to an enum or removed from it."""
    known, after_keys = [canonical_json(value) for value in before], [canonical_json(value) for value in after]
    for index, value in enumerate(before):
        if canonical_json(value) not in after_keys:
            yield KeywordChange(
                rule="ENUM_VALUE_REMOVED",
                keys=("const", "enum"),
                message=f"the value {format_value(value)} was removed",
                narrows=True,
                widens=False,
                old=_enum_place(old, index),
                new=new.keyword_place("const", "enum"),
                value=value,
            )
    for index, value in enumerate(after):
        if canonical_json(value) not in known:
            yield KeywordChange(
                rule="ENUM_VALUE_ADDED",
                keys=("const", "enum"),
                message=f"the value {format_value(value)} was added",
                narrows=False,
                widens=True,
                old=old.keyword_place("const", "enum"),
                new=_enum_place(new, index),
                value=value,
                circumstance="extensible" if _is_extensible(old, before) else "",
            )


def _enum_place(node: SchemaNode, index: int) -> Place:
    """Return the place of an enumerated value."""
    return node.keyword_place("const") if "const" in node.keywords else node.keyword_place("enum").at(index)


def _is_extensible(node: SchemaNode, known: list[Any]) -> bool:
    """Return True if the enum may grow and declares the meaning of unknown values."""
    return node.value("x-extensible-enum") is True and node.value("x-unknown") in known
