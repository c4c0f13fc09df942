"""A keyword of a schema that changed, and how its values are told."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from codegen.loading.schema_nodes import Place, SchemaNode

BEFORE = 20
"""Characters before the place where two texts part."""


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


def worded(key: str, before: Any, after: Any) -> str:
    """A text that is another one, in a sentence: what stands where the two part."""
    if after is None:
        return f"there is no {key} any more"
    was, now = str(before or ""), str(after)
    parts_at = next((at for at, (one, other) in enumerate(zip(was, now, strict=False)) if one != other), len(was))
    start = max(0, parts_at - BEFORE)
    return f"the {key} says {shown(('...' if start else '') + now[start:])} now"


def step(rule: str, keys: tuple[str, ...], old: SchemaNode, new: SchemaNode, message: str, *, narrows: bool) -> Step:
    """A change that only narrows, or only widens."""
    return Step(
        rule=rule,
        keys=keys,
        message=message,
        narrows=narrows,
        widens=not narrows,
        old=old.keyword_place(*keys),
        new=new.keyword_place(*keys),
    )


def both(rule: str, keys: tuple[str, ...], old: SchemaNode, new: SchemaNode, message: str) -> Step:
    """A change that does both."""
    return Step(
        rule=rule,
        keys=keys,
        message=message,
        narrows=True,
        widens=True,
        old=old.keyword_place(*keys),
        new=new.keyword_place(*keys),
    )


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
