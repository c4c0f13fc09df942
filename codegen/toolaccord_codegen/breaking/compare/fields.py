"""Compare the fields of records that both states have, by the table of the language."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from typing import Any, get_args

from toolaccord.contract.constraints import Constraint, Counts
from toolaccord_codegen.breaking.catalog import RULES
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.schemas.keyword_change import (
    describe_text_change,
    format_optional,
    format_value,
)
from toolaccord_codegen.loading.json_equality import equal_json
from toolaccord_codegen.loading.record_keys import Key, find_mark, list_keys, split_marks

SCALARS = (bool, int, float, str)
NOT_BLANK = r"\S"
"""The pattern of texts for people or models."""


def field_changes(pair: ContractPair, record: type, *keys: str) -> Iterator[Change]:
    """Yield changes of fields that count, of the record at *keys* and of those inside it."""
    for key, counts, inner in _list_fields(record):
        at = (*keys, key.name)
        if counts:
            yield from _value_changes(pair, key, counts, at)
        if inner and (not counts or None not in pair.values(*at)):
            yield from field_changes(pair, inner, *at)


@cache
def _list_fields(record: type) -> list[tuple[Key, Counts | None, type | None]]:
    """List the keys of a record that count, and those of records that are compared key by key."""
    found: list[tuple[Key, Counts | None, type | None]] = []
    for key in list_keys(record):
        counts, base = find_mark(key.hint, Counts), split_marks(key.hint)[0]
        inner = base if isinstance(base, type) and is_dataclass(base) and not (counts and counts.changed) else None
        found += [(key, counts, inner)] if counts or inner else []
    return found


def split_members(
    contract: ContractPair, key: str, label: str, *, added: str, removed: str
) -> tuple[list[Change], list[ContractPair]]:
    """Return the members of an object that came or went as changes, and the pairs of the others."""
    before, after = contract.old.items(key), contract.new.items(key)
    pairs = {name: contract.at(key, name, label=f"{label} {name}") for name in {**before, **after}}
    came = [pair.change(added, "it was added") for name, pair in pairs.items() if name not in before]
    went = [pair.change(removed, "it was removed") for name, pair in pairs.items() if name not in after]
    return [*came, *went], [pairs[name] for name in before if name in after]


def _value_changes(pair: ContractPair, key: Key, counts: Counts, at: tuple[str, ...]) -> Iterator[Change]:
    """Yield the changes of a field at *at*."""
    before, after = (_fill_in(value, key, counts) for value in pair.values(*at))
    if isinstance(before or after, list) and not counts.changed:
        yield from _item_changes(pair, counts, before or [], after or [], *at)
    elif not equal_json(before, after) and (rule := _choose_rule(counts, before, after)):
        is_numeric = rule in {counts.raised, counts.lowered} and None not in {before, after}
        own = key.name if counts.changed else ""
        yield pair.change(
            rule,
            _describe(".".join(at), key, counts, rule, (before, after)),
            *at,
            detail=key.name if is_numeric else own if counts.subject is None else counts.subject,
            circumstance=counts.circumstance,
        )


def _item_changes(
    pair: ContractPair, counts: Counts, before: list[str], after: list[str], *keys: str
) -> Iterator[Change]:
    """Yield the items of a list that came, and those that went, where a rule is about them."""
    for rule, items in (
        (counts.added, [each for each in after if each not in before]),
        (counts.removed, [each for each in before if each not in after]),
    ):
        for item in items if rule else ():
            yield pair.change(rule, f"{RULES[rule].summary}: {item}", *keys, detail=item)


def _fill_in(value: Any, key: Key, counts: Counts) -> Any:
    """Return a value, or that without the key."""
    if value is not None:
        return value
    is_said = counts.unsaid is None and not key.is_required and isinstance(key.default, SCALARS)
    return key.default if is_said else counts.unsaid


def _choose_rule(counts: Counts, before: Any, after: Any) -> str:
    """Return the rule for the way in which a value changed; empty without one."""
    if all(isinstance(each, int | float) and not isinstance(each, bool) for each in (before, after)):
        return counts.changed or (counts.raised if after > before else counts.lowered)
    had, has = (each is not None and each is not False for each in (before, after))
    if had is has or not (counts.added or counts.removed):
        return counts.changed
    return counts.added if has else counts.removed


def _describe(name: str, key: Key, counts: Counts, rule: str, values: tuple[Any, Any]) -> str:
    """Return the message of a change; the rule says it where the values do not."""
    (before, after), base = values, split_marks(key.hint)[0]
    if _is_prose(key):
        return describe_text_change(key.name, before, after)
    if is_dataclass(base) or any(map(is_dataclass, get_args(base))):
        shown = f": {format_value(after)}" if after is not None else ""
        return f"{name}: {RULES[rule].summary}" if counts.changed else f"{RULES[rule].summary}{shown}"
    if base is bool:
        return f"{name} is now {str(after).lower()}: {RULES[rule].summary}"
    if None not in values:
        return f"{name} changed from {format_optional(before)} to {format_optional(after)}"
    return (
        f"{name} was added: {format_value(after)}"
        if before is None
        else f"{name} was removed: it was {format_value(before)}"
    )


def _is_prose(key: Key) -> bool:
    """Return True for a text that people or models read."""
    constraints = [mark for mark in split_marks(key.hint)[1] if isinstance(mark, Constraint)]
    return any(mark.keywords.get("pattern") == NOT_BLANK for mark in constraints)
