"""Compare the keywords of two schemas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolaccord_codegen.breaking.compare.schemas.keyword_change import KeywordChange, format_value
from toolaccord_codegen.breaking.compare.schemas.limits import limit_changes, multiple_changes, text_keyword_changes
from toolaccord_codegen.loading.json_equality import canonical_json, contains_json, equal_json, normalize_number
from toolaccord_codegen.loading.references import as_array
from toolaccord_codegen.loading.schema_nodes import SchemaNode
from toolaccord_codegen.schema_sets.validators import ALL_TYPES

ENUM_KEYS = ("const", "enum")
TYPE_KEYS = ("type", *ENUM_KEYS)
"""Keywords that say which types are allowed; without `type`, the values say it."""
TYPE_NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}


def keyword_changes(old: SchemaNode, new: SchemaNode) -> Iterator[KeywordChange]:
    """Yield the changed keywords of types that both schemas admit."""
    shared = type_names(old) & type_names(new)
    yield from _type_changes(old, new)
    if shared or old.value("type") == new.value("type"):  # else the change of the type says it
        yield from _enum_changes(old, new)
    yield from limit_changes(old, new, shared)
    if "integer" in shared:
        yield from multiple_changes(old, new)
    if "string" in shared:
        yield from text_keyword_changes(old, new)


def type_names(node: SchemaNode) -> frozenset[str]:
    """Return the types that a schema admits. `number` includes `integer`, and 1.0 is an integer."""
    text, known = node.value("type"), enumerated_values(node)
    names = ALL_TYPES if text is None else frozenset([text] if isinstance(text, str) else as_array(text))
    if known is not None and text is None:
        names = frozenset(TYPE_NAMES.get(type(normalize_number(value)), "null") for value in known)
    return names | {"integer"} if "number" in names else names


def _type_changes(old: SchemaNode, new: SchemaNode) -> Iterator[KeywordChange]:
    """Yield changes of `type`. Null and absent types are separate cases."""
    key, null, before, after = TYPE_KEYS, {"null"}, type_names(old), type_names(new)
    removed, added = before - after, after - before
    was, now = (node.value("type") for node in (old, new))
    if was == now:
        return
    if was is not None and now is not None and null in (removed, added):
        if "null" in removed:
            yield KeywordChange("NULL_REMOVED", key, "null is no longer allowed", narrows=True)
        else:
            yield KeywordChange("NULL_ADDED", key, "null is now allowed", widens=True)
        removed, added = removed - null, added - null
    if removed or added:
        rule = "CHANGED" if removed and added else "NARROWED" if removed else "WIDENED"
        first, second = ("any" if each is None else format_value(each) for each in (was, now))
        text = f"the type changed from {first} to {second}"
        yield KeywordChange(f"TYPE_{rule}", key, text, narrows=bool(removed), widens=bool(added))


def enumerated_values(node: SchemaNode) -> list[Any] | None:
    """Return the values of `const` or `enum`, or None."""
    if "const" in node.keywords:
        return [node.keywords["const"]]
    return as_array(node.keywords["enum"]) if "enum" in node.keywords else None


def _enum_changes(old: SchemaNode, new: SchemaNode) -> Iterator[KeywordChange]:
    """Yield changes of `enum` and `const`."""
    before, after = enumerated_values(old), enumerated_values(new)
    if before is None and after is not None:
        text = f"any value was allowed, now only {', '.join(map(format_value, after))}"
        yield KeywordChange("ENUM_ADDED", ENUM_KEYS, text, narrows=True)
    elif before is not None and after is None:
        verb = "was" if len(before) == 1 else "were"
        text = f"only {', '.join(map(format_value, before))} {verb} allowed, now any value is"
        yield KeywordChange("ENUM_REMOVED", ENUM_KEYS, text, widens=True)
    elif "const" in old.keywords and "const" in new.keywords and not equal_json(before, after):
        text = f"the value changed from {format_value(old.keywords['const'])} to {format_value(new.keywords['const'])}"
        yield KeywordChange("CONST_CHANGED", ENUM_KEYS, text, narrows=True, widens=True)
    elif before is not None and after is not None:
        is_extensible = old.value("x-extensible-enum") is True and contains_json(before, old.value("x-unknown"))
        yield from _enum_value_changes("REMOVED", before, after)
        yield from _enum_value_changes("ADDED", after, before, "extensible" if is_extensible else "")


def _enum_value_changes(
    verb: str, values: list[Any], others: list[Any], circumstance: str = ""
) -> Iterator[KeywordChange]:
    """Yield a change for each value that is not among others."""
    known = {canonical_json(value) for value in others}
    is_loss = verb == "REMOVED"
    for index, value in enumerate(values):
        if canonical_json(value) not in known:
            text = f"the value {format_value(value)} was {verb.lower()}"
            rule = f"ENUM_VALUE_{verb}"
            yield KeywordChange(rule, ENUM_KEYS, text, is_loss, not is_loss, circumstance, (index, value))
