"""Compare two states of a tool, except for its schemas, errors and conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codegen.breaking.changes import Change
from codegen.breaking.compare.contract_pair import ContractPair
from codegen.breaking.compare.errors import condition_changes, error_changes
from codegen.breaking.compare.keyword_change import describe_text_change, format_optional
from codegen.breaking.compare.older_versions import is_kept, older_version_changes, release_change, version_of
from codegen.breaking.compare.schema_pair import Topic
from codegen.breaking.compare.schemas import schema_changes
from codegen.breaking.rule import Direction
from codegen.loading.references import as_array

PROMISE_RULES = (
    (
        "progress",
        ("PROGRESS_ADDED", "callers can request progress"),
        ("PROGRESS_REMOVED", "callers can no longer request progress"),
    ),
    (
        "fresh",
        ("FRESH_ADDED", "answers are guaranteed to be fresh"),
        ("FRESH_REMOVED", "answers are no longer guaranteed to be fresh"),
    ),
)
"""Optional keys with the rules and messages for their addition and removal."""


def tool_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield all changes of a tool."""
    pages = tool.values("pagination")
    kept_version = version_of(tool.old) if is_kept(tool) else ""
    for topic, key in _schema_topics(tool, paginated=None not in pages):
        for change in schema_changes(topic, tool.old.node(key), tool.new.node(key)):
            yield replace(change, kept_version=kept_version)
    yield from older_version_changes(tool)
    yield from release_change(tool)
    yield from text_changes(tool, "tool")
    yield from error_changes(tool)
    yield from condition_changes(tool)
    yield from _cache_changes(tool)
    yield from _deadline_changes(tool)
    yield from _idempotency_changes(tool)
    yield from _promise_changes(tool)
    yield from _effect_changes(tool)
    if pages[0] != pages[1]:
        yield tool.change(
            "PAGE_STYLE_CHANGED",
            f"pagination changed from {format_optional(pages[0])} to {format_optional(pages[1])}",
            "pagination",
        )
    examples = tool.values("examples")
    if examples[0] != examples[1]:
        yield tool.change("EXAMPLE_CHANGED", "the examples changed", "examples")


def _schema_topics(tool: ContractPair, *, paginated: bool) -> Iterator[tuple[Topic, str]]:
    """Yield the topics of a tool's schemas with their keys."""
    hints = tool.example_value("arguments"), tool.example_value("returns")
    arguments = Topic(
        direction=Direction.INPUT,
        noun="argument",
        whole="arguments",
        tool=tool.tool,
        paginated=paginated,
        hint=hints[0],
    )
    result = Topic(direction=Direction.OUTPUT, noun="result", whole="result", tool=tool.tool, hint=hints[1])
    yield from ((arguments, "parameters"), (result, "returns"))


def text_changes(part: ContractPair, circumstance: str) -> Iterator[Change]:
    """Yield changes of title, description and instructions."""
    for key, rule in (
        ("title", "TITLE_CHANGED"),
        ("description", "DESCRIPTION_CHANGED"),
        ("instructions", "DESCRIPTION_CHANGED"),
    ):
        before, after = part.values(key)
        if before != after:
            yield part.change(
                rule, describe_text_change(key, before, after), key, circumstance=circumstance, detail=key
            )


def _cache_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield changes of the age of answers."""
    before, after = tool.values("cache")
    if before is None and after is not None:
        yield tool.change("CACHE_ENABLED", f"answers may be {after.get('ttl_s')} s old", "cache")
    elif before is not None and after is None:
        yield tool.change("CACHE_DISABLED", "answers are no longer cached", "cache")
    elif before is not None:
        yield from tool.numeric_changes("CACHE_TTL_LOWERED", "CACHE_TTL_RAISED", "cache", "ttl_s")
        yield from _provisional_changes(tool)
        old, new = tool.values("cache", "bypass")
        if old != new:
            rule = "CACHE_BYPASS_ADDED" if old is None else "CACHE_BYPASS_REMOVED"
            yield tool.change(
                rule,
                f"the bypass argument changed from {format_optional(old)} to {format_optional(new)}",
                "cache",
                "bypass",
            )


def _provisional_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield changes of the age of provisional answers."""
    key = "provisional_ttl_s"
    old, new = tool.values("cache", key)
    if old is not None and new is not None:
        yield from tool.numeric_changes("CACHE_TTL_LOWERED", "CACHE_TTL_RAISED", "cache", key)
    elif old != new:
        rule = "CACHE_TTL_RAISED" if new is None else "CACHE_TTL_LOWERED"
        yield tool.change(
            rule, f"{key} changed from {format_optional(old)} to {format_optional(new)}", "cache", key, detail=key
        )


def _deadline_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield changes of the deadline and of the usual duration."""
    yield from tool.numeric_changes("TIMEOUT_LOWERED", "TIMEOUT_RAISED", "deadline", "timeout_ms")
    yield from tool.numeric_changes("SLO_TIGHTENED", "SLO_RELAXED", "deadline", "p95_ms")
    before, after = tool.values("deadline", "p95_ms")
    if before is None and after is not None:
        yield tool.change("SLO_TIGHTENED", f"p95_ms was added: {after} ms", "deadline", "p95_ms")
    elif before is not None and after is None:
        yield tool.change("SLO_RELAXED", f"p95_ms was removed: it was {before} ms", "deadline", "p95_ms")


def _idempotency_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield changes of the treatment of repeated calls."""
    before, after = tool.values("idempotency")
    if before is None and after is not None:
        yield tool.change("IDEMPOTENCY_ADDED", "a repeated call with the same key writes once", "idempotency")
    elif before is not None and after is None:
        yield tool.change("IDEMPOTENCY_REMOVED", "idempotency keys are now ignored", "idempotency")
    elif before is not None:
        yield from tool.numeric_changes(
            "IDEMPOTENCY_WINDOW_SHORTENED", "IDEMPOTENCY_WINDOW_EXTENDED", "idempotency", "window_s"
        )
        old, new = (as_array(keys) for keys in tool.values("idempotency", "key_from"))
        for origin in [origin for origin in old if origin not in new]:
            message = f"key_from no longer lists {origin}"
            yield tool.change("IDEMPOTENCY_KEY_REMOVED", message, "idempotency", "key_from", detail=str(origin))


def _promise_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield changes of keys that are promises by their presence."""
    for key, result, arguments in PROMISE_RULES:
        before, after = tool.values(key)
        if before is None and after is not None:
            yield tool.change(*result, key)
        elif before is not None and after is None:
            yield tool.change(*arguments, key)


def _effect_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield changes of the sources that a call reads and writes."""
    before, after = (set(as_array(names)) for names in tool.values("effects", "writes"))
    for name in sorted(after - before):
        message = f"the tool now writes to {name}" + ("; before, it wrote nothing" if not before else "")
        yield tool.change("SIDE_EFFECT_ADDED", message, "effects", "writes", detail=name)
    for name in sorted(before - after):
        yield tool.change(
            "SIDE_EFFECT_REMOVED", f"the tool no longer writes to {name}", "effects", "writes", detail=name
        )
    old, new = tool.values("effects", "reads")
    if set(as_array(old)) != set(as_array(new)):
        message = (
            f"the tool reads {', '.join(as_array(new)) or 'nothing'} instead of {', '.join(as_array(old)) or 'nothing'}"
        )
        yield tool.change("READS_CHANGED", message, "effects", "reads")
