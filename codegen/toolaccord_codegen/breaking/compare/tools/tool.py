"""Compare two states of a tool, except for its schemas, errors and conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.asks import asking_changes
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.breaking.compare.events import publication_changes
from toolaccord_codegen.breaking.compare.schemas.comparison import schema_changes
from toolaccord_codegen.breaking.compare.schemas.keyword_change import format_optional
from toolaccord_codegen.breaking.compare.schemas.schema_pair import Topic
from toolaccord_codegen.breaking.compare.tools.conditions import condition_changes
from toolaccord_codegen.breaking.compare.tools.content import content_changes
from toolaccord_codegen.breaking.compare.tools.effects import effect_changes
from toolaccord_codegen.breaking.compare.tools.errors import error_changes
from toolaccord_codegen.breaking.compare.tools.older_versions import (
    is_kept,
    older_version_changes,
    release_change,
    version_of,
)
from toolaccord_codegen.breaking.compare.tools.tasks import task_changes
from toolaccord_codegen.breaking.compare.tools.translations import translation_changes
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.ir.tool import DEFAULT_TIMEOUT_MS
from toolaccord_codegen.loading.references import as_array, as_object

PRESENCE_RULES: tuple[tuple[Any, ...], ...] = (
    ("CACHE_ENABLED", "answers may be {0[ttl_s]} s old", True, "cache"),
    ("CACHE_DISABLED", "answers are no longer cached", False, "cache"),
    ("SLO_TIGHTENED", "p95_ms was added: {} ms", True, "deadline", "p95_ms"),
    ("SLO_RELAXED", "p95_ms was removed: it was {} ms", False, "deadline", "p95_ms"),
    ("IDEMPOTENCY_ADDED", "a repeated call with the same key writes once", True, "idempotency"),
    ("IDEMPOTENCY_REMOVED", "idempotency keys are now ignored", False, "idempotency"),
    ("PROGRESS_ADDED", "callers can request progress", True, "progress"),
    ("PROGRESS_REMOVED", "callers can no longer request progress", False, "progress"),
    ("LOGGING_ADDED", "callers can receive log messages", True, "logging"),
    ("LOGGING_REMOVED", "callers no longer receive log messages", False, "logging"),
    ("FRESH_ADDED", "answers are guaranteed to be fresh", True, "fresh"),
    ("FRESH_REMOVED", "answers are no longer guaranteed to be fresh", False, "fresh"),
)
"""Rules and messages of optional keys: True if the rule is about an addition, then the keys."""
NUMBER_RULES = (
    ("CACHE_TTL_LOWERED", "CACHE_TTL_RAISED", "cache", "ttl_s"),
    ("CACHE_TTL_LOWERED", "CACHE_TTL_RAISED", "cache", "provisional_ttl_s"),
    ("CACHE_MEMORY_TTL_LOWERED", "CACHE_MEMORY_TTL_RAISED", "cache", "memory_ttl_s"),
    ("SLO_TIGHTENED", "SLO_RELAXED", "deadline", "p95_ms"),
    ("IDEMPOTENCY_WINDOW_SHORTENED", "IDEMPOTENCY_WINDOW_EXTENDED", "idempotency", "window_s"),
)
"""The rules for a lower and for a higher number, and its keys."""
DIFFERENCE_RULES = (
    ("EXAMPLE_CHANGED", "the examples changed", "examples"),
    ("VIEW_CHANGED", "hosts show the result in another way", "view"),
)
"""Rules and messages of keys that only people read."""


def tool_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield all changes of a tool."""
    kept_version = version_of(tool.old) if is_kept(tool) else ""
    translated = list(translation_changes(tool))
    units = {(each.direction, each.pointer) for each in translated if each.rule == "UNIT_CHANGED"}
    seen = set[tuple[Direction | None, str]]()
    for topic, key in _schema_topics(tool):
        if None in tool.values(key):  # ANSWER_FORM_CHANGED says that there is no result
            continue
        for change in schema_changes(topic, tool.old.node(key), tool.new.node(key)):
            is_copied = change.rule == "UNIT_CHANGED" and (change.direction, change.pointer) in units
            seen |= {(change.direction, change.pointer)} if is_copied else set()
            yield replace(change, kept_version="" if is_copied else kept_version)
    yield from (
        each for each in translated if each.rule != "UNIT_CHANGED" or (each.direction, each.pointer) not in seen
    )
    yield from older_version_changes(tool)
    yield from release_change(tool)
    yield from text_changes(tool, "tool")
    yield from error_changes(tool)
    yield from condition_changes(tool)
    for rule, message, is_added, *keys in PRESENCE_RULES:
        yield from tool.presence_change(rule, message, *keys, is_added=is_added)
    for number in NUMBER_RULES:
        yield from tool.numeric_changes(*number)
    yield from timeout_changes(tool)
    yield from content_changes(tool)
    yield from _cache_changes(tool)
    yield from rate_limit_changes(tool)
    yield from _idempotency_changes(tool)
    yield from effect_changes(tool)
    yield from publication_changes(tool)
    yield from asking_changes(tool)
    yield from task_changes(tool)
    yield from tool.value_change("PAGE_STYLE_CHANGED", "pagination", describe=format_optional)
    for rule, message, key in DIFFERENCE_RULES:
        if tool.differs(key):
            yield tool.change(rule, message, key)


def timeout_changes(operation: ContractPair) -> Iterator[Change]:
    """Yield changes of the deadline of a tool, a resource or a prompt."""
    rules = ("TIMEOUT_LOWERED", "TIMEOUT_RAISED", "deadline", "timeout_ms")
    yield from operation.numeric_changes(*rules, default=DEFAULT_TIMEOUT_MS)


def _schema_topics(tool: ContractPair) -> Iterator[tuple[Topic, str]]:
    """Yield the topics of a tool's schemas with their keys."""
    is_paginated = None not in tool.values("pagination")
    for key, direction, noun, whole, example in (
        ("parameters", Direction.INPUT, "argument", "arguments", "arguments"),
        ("returns", Direction.OUTPUT, "result", "result", "returns"),
    ):
        hint = tool.example_value(example)
        paginated = is_paginated and direction is Direction.INPUT
        yield Topic(direction=direction, noun=noun, whole=whole, tool=tool.tool, paginated=paginated, hint=hint), key


def text_changes(part: ContractPair, circumstance: str) -> Iterator[Change]:
    """Yield changes of title, description and instructions."""
    yield from part.text_change("TITLE_CHANGED", "title", circumstance=circumstance, detail="title")
    for key in ("description", "instructions"):
        yield from part.text_change("DESCRIPTION_CHANGED", key, circumstance=circumstance, detail=key)


def _cache_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield changes of the optional keys of a cache that both sides have."""
    if None in tool.values("cache"):
        return
    rule = "CACHE_BYPASS_ADDED" if tool.values("cache", "bypass")[0] is None else "CACHE_BYPASS_REMOVED"
    yield from tool.value_change(rule, "cache", "bypass", noun="the bypass argument", describe=format_optional)
    for prefix, key in (("CACHE_TTL", "provisional_ttl_s"), ("CACHE_MEMORY_TTL", "memory_ttl_s")):
        if None in (values := tool.values("cache", key)):  # without it, ttl_s holds
            rule = f"{prefix}_RAISED" if values[1] is None else f"{prefix}_LOWERED"
            yield from tool.value_change(rule, "cache", key, describe=format_optional, detail=key)
    yield from tool.value_change("CACHE_STORE_CHANGED", "cache", "store", describe=format_optional)
    yield from tool.value_change("CACHE_PRECISION_CHANGED", "cache", "precision", describe=format_optional)


def _idempotency_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield changes of the origins and the store of idempotency keys."""
    keys = ("idempotency", "key_from")
    old, new = map(as_array, tool.values(*keys))
    if "derived" in new and "derived" not in old:
        yield tool.change("IDEMPOTENCY_DERIVED_ADDED", "equal calls within the window now act once", *keys)
    if None in tool.values("idempotency"):
        return
    for origin in [origin for origin in old if origin not in new]:
        message = f"key_from no longer lists {origin}"
        yield tool.change("IDEMPOTENCY_KEY_REMOVED", message, *keys, detail=str(origin))
    yield from tool.value_change("IDEMPOTENCY_STORE_CHANGED", "idempotency", "store")


def rate_limit_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield a limit that rejects calls which the other one allows."""
    before, after = (_read_limit(limit) for limit in tool.values("rate_limit"))
    text = f"a caller may make {_describe_limit(after)} instead of {_describe_limit(before)}"
    if _allows_more(before, after):
        yield tool.change("RATE_LIMIT_LOWERED", text, "rate_limit")
    elif _allows_more(after, before):
        yield tool.change("RATE_LIMIT_RAISED", text, "rate_limit")
    was, now = tool.values("rate_limit", "store")
    if None not in {before, after} and was != now:
        text = f"the calls are counted in {now or 'each replica'} instead of {was or 'each replica'}"
        circumstance = "" if now is None else "shared"
        yield tool.change("RATE_LIMIT_STORE_CHANGED", text, "rate_limit", "store", circumstance=circumstance)


def _read_limit(limit: Any) -> tuple[float, float] | None:
    """Return the calls and the seconds of a rate limit; None without one."""
    calls, window_s = (as_object(limit).get(key) for key in ("calls", "window_s"))
    if isinstance(calls, int | float) and isinstance(window_s, int | float) and window_s > 0:
        return calls, window_s
    return None


def _allows_more(limit: tuple[float, float] | None, other: tuple[float, float] | None) -> bool:
    """Return True if a limit allows calls that another one rejects.

    In the other's window it allows its number of calls once for each of its own windows that begin there.
    """
    if limit is None or other is None:
        return other is not None
    return limit[0] * -(-other[1] // limit[1]) > other[0]


def _describe_limit(limit: tuple[float, float] | None) -> str:
    """Return a rate limit for a message."""
    return "any number of calls" if limit is None else f"{limit[0]} calls in {limit[1]} s"
