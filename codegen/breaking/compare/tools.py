"""A tool, old and new: what a contract says about it beside its schemas, errors and conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codegen.breaking.changes import Change
from codegen.breaking.compare.contract_pair import Both
from codegen.breaking.compare.errors import condition_changes, error_changes
from codegen.breaking.compare.keyword_change import shown, worded
from codegen.breaking.compare.older_versions import is_kept, older_version_changes, release_change, version_of
from codegen.breaking.compare.schema_pair import Topic
from codegen.breaking.compare.schemas import schema_changes
from codegen.breaking.rule import Direction
from codegen.loading.references import as_array

PROMISES = (
    (
        "progress",
        ("PROGRESS_ADDED", "whoever asks for it is told how far a call is"),
        ("PROGRESS_REMOVED", "nobody is told any more how far a call is"),
    ),
    (
        "fresh",
        ("FRESH_ADDED", "answers are promised to be fresh"),
        ("FRESH_REMOVED", "answers are not promised to be fresh any more"),
    ),
)
"""Keys that are there or not, each with the rule and the words for its coming and its going."""


def tool_changes(tool: Both) -> Iterator[Change]:
    """Everything that differs between two states of a tool."""
    pages = tool.values("pagination")
    served = version_of(tool.old) if is_kept(tool) else ""
    for topic, key in schemas(tool, paginated=None not in pages):
        for change in schema_changes(topic, tool.old.node(key), tool.new.node(key)):
            yield replace(change, served=served)
    yield from older_version_changes(tool)
    yield from release_change(tool)
    yield from texts(tool, "tool")
    yield from error_changes(tool)
    yield from condition_changes(tool)
    yield from cache_changes(tool)
    yield from deadline_changes(tool)
    yield from idempotency_changes(tool)
    yield from promise_changes(tool)
    yield from effect_changes(tool)
    if pages[0] != pages[1]:
        yield tool.change("PAGE_STYLE_CHANGED", f"pages were {told(pages[0])} and are {told(pages[1])}", "pagination")
    examples = tool.values("examples")
    if examples[0] != examples[1]:
        yield tool.change("EXAMPLE_CHANGED", "the examples are others", "examples")


def schemas(tool: Both, *, paginated: bool) -> Iterator[tuple[Topic, str]]:
    """What the schemas of a tool are about, and the keys they stand at."""
    hints = tool.example("arguments"), tool.example("returns")
    taken = Topic(
        direction=Direction.INPUT,
        noun="argument",
        inlined="arguments",
        tool=tool.tool,
        paginated=paginated,
        hint=hints[0],
    )
    given = Topic(direction=Direction.OUTPUT, noun="result", inlined="result", tool=tool.tool, hint=hints[1])
    yield from ((taken, "parameters"), (given, "returns"))


def told(value: object) -> str:
    """A value in a sentence, or that there is none."""
    return "none" if value is None else shown(value)


def texts(part: Both, circumstance: str) -> Iterator[Change]:
    """Title, description and instructions."""
    for key, rule in (
        ("title", "TITLE_CHANGED"),
        ("description", "DESCRIPTION_CHANGED"),
        ("instructions", "DESCRIPTION_CHANGED"),
    ):
        before, after = part.values(key)
        if before != after:
            yield part.change(rule, worded(key, before, after), key, circumstance=circumstance, detail=key)


def cache_changes(tool: Both) -> Iterator[Change]:
    """How old an answer may be."""
    before, after = tool.values("cache")
    if before is None and after is not None:
        yield tool.change("CACHE_ENABLED", f"answers may be {after.get('ttl_s')} s old", "cache")
    elif before is not None and after is None:
        yield tool.change("CACHE_DISABLED", "answers are not kept any more", "cache")
    elif before is not None:
        yield from tool.moved("CACHE_TTL_LOWERED", "CACHE_TTL_RAISED", "cache", "ttl_s")
        yield from provisional_changes(tool)
        old, new = tool.values("cache", "bypass")
        if old != new:
            rule = "CACHE_BYPASS_ADDED" if old is None else "CACHE_BYPASS_REMOVED"
            yield tool.change(
                rule, f"a fresh answer was asked for with {told(old)} and is with {told(new)}", "cache", "bypass"
            )


def provisional_changes(tool: Both) -> Iterator[Change]:
    """How old an answer may be that may still change; as any other where nothing is said."""
    key = "provisional_ttl_s"
    old, new = tool.values("cache", key)
    if old is not None and new is not None:
        yield from tool.moved("CACHE_TTL_LOWERED", "CACHE_TTL_RAISED", "cache", key)
    elif old != new:
        rule = "CACHE_TTL_RAISED" if new is None else "CACHE_TTL_LOWERED"
        yield tool.change(rule, f"{key} was {told(old)} and is {told(new)}", "cache", key, detail=key)


def deadline_changes(tool: Both) -> Iterator[Change]:
    """How long a call may take, and how long it usually should."""
    yield from tool.moved("TIMEOUT_LOWERED", "TIMEOUT_RAISED", "deadline", "timeout_ms")
    yield from tool.moved("SLO_TIGHTENED", "SLO_RELAXED", "deadline", "p95_ms")
    before, after = tool.values("deadline", "p95_ms")
    if before is None and after is not None:
        yield tool.change("SLO_TIGHTENED", f"p95_ms was not said and is {after} ms", "deadline", "p95_ms")
    elif before is not None and after is None:
        yield tool.change("SLO_RELAXED", f"p95_ms was {before} ms and is not said", "deadline", "p95_ms")


def idempotency_changes(tool: Both) -> Iterator[Change]:
    """Whether a call that is sent again writes once."""
    before, after = tool.values("idempotency")
    if before is None and after is not None:
        yield tool.change("IDEMPOTENCY_ADDED", "a key makes a call that is sent again write once", "idempotency")
    elif before is not None and after is None:
        yield tool.change("IDEMPOTENCY_REMOVED", "keys are not heeded any more", "idempotency")
    elif before is not None:
        yield from tool.moved("IDEMPOTENCY_WINDOW_SHORTENED", "IDEMPOTENCY_WINDOW_EXTENDED", "idempotency", "window_s")
        old, new = (as_array(keys) for keys in tool.values("idempotency", "key_from"))
        for origin in [origin for origin in old if origin not in new]:
            said = f"a key is no longer taken from the {origin}"
            yield tool.change("IDEMPOTENCY_KEY_REMOVED", said, "idempotency", "key_from", detail=str(origin))


def promise_changes(tool: Both) -> Iterator[Change]:
    """What a tool promises by a key that is there or is not."""
    for key, given, taken in PROMISES:
        before, after = tool.values(key)
        if before is None and after is not None:
            yield tool.change(*given, key)
        elif before is not None and after is None:
            yield tool.change(*taken, key)


def effect_changes(tool: Both) -> Iterator[Change]:
    """What a call reads and writes."""
    before, after = (set(as_array(names)) for names in tool.values("effects", "writes"))
    for name in sorted(after - before):
        said = f"the tool writes to {name}" + ("; it wrote nothing" if not before else "")
        yield tool.change("SIDE_EFFECT_ADDED", said, "effects", "writes", detail=name)
    for name in sorted(before - after):
        yield tool.change(
            "SIDE_EFFECT_REMOVED", f"the tool no longer writes to {name}", "effects", "writes", detail=name
        )
    old, new = tool.values("effects", "reads")
    if set(as_array(old)) != set(as_array(new)):
        said = (
            f"the tool read {', '.join(as_array(old)) or 'nothing'} and reads {', '.join(as_array(new)) or 'nothing'}"
        )
        yield tool.change("READS_CHANGED", said, "effects", "reads")
