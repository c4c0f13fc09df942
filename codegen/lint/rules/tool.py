"""Rules for what a tool's keys say together: caches, writes, and arguments as hosts take them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codegen.lint.issues import Addition, Complaint
from codegen.lint.schema_walk import ARGUMENTS, Part, Subject
from codegen.loading.references import as_object

BYPASS = "force_refresh"
BYPASSES = frozenset({BYPASS, "refresh", "no_cache", "bypass_cache", "skip_cache"})
"""What arguments are called that ask for a fresh answer."""
ASKING: dict[str, Any] = {
    "type": "boolean",
    "default": False,
    "description": "Bypass the cache and fetch a fresh answer",
}


def tool_complaints(subject: Subject) -> Iterator[Complaint]:
    """What is to be said of one tool as a whole."""
    yield from caching(subject)
    yield from writing(subject)
    for part in subject.side(ARGUMENTS):
        yield from type_list(part)
        yield from null(part)


def caching(subject: Subject) -> Iterator[Complaint]:
    """A cache that nobody can pass by, one of answers that must be fresh, and a way past no cache."""
    cache = subject.tool.at("cache")
    asking = [
        part
        for part in subject.side(ARGUMENTS)
        if part.pointer.removeprefix("/") in BYPASSES and part.types == {"boolean"}
    ]
    if cache.value is None:
        for part in asking:
            sentence = (
                f"{part.about} asks for a fresh answer, and the tool has no cache; remove the argument, or add a cache"
            )
            yield Complaint("BYPASS_WITHOUT_CACHE", part.place, sentence)
        return
    if subject.tool.at("fresh").value is True:
        sentence = f'the answers of {subject.name} must be fresh, so none may be kept; remove its cache, or "fresh"'
        yield Complaint("CACHED_THOUGH_FRESH", cache.place.named(), sentence)
    if "bypass" not in as_object(cache.value):
        name = asking[0].name if asking else BYPASS
        sentence = f'callers of {subject.name} cannot ask for a fresh answer; add "bypass": "{name}"'
        cure = sentence if asking else f"{sentence}, and a boolean argument of that name"
        yield Complaint("CACHE_WITHOUT_BYPASS", cache.place.named(), cure, additions=way_past(subject, asking))


def way_past(subject: Subject, asking: list[Part]) -> tuple[Addition, ...]:
    """What would let callers pass the cache by; nothing where the argument cannot be added to an object at hand."""
    if asking:
        return (Addition(subject.tool.at("cache").place, "bypass", asking[0].name),)
    members = subject.tool.at("parameters", "properties")
    if not isinstance(members.value, dict) or BYPASS in members.value:
        return ()
    argument = Addition(members.place, BYPASS, ASKING)
    return (argument, Addition(subject.tool.at("cache").place, "bypass", BYPASS))


def writing(subject: Subject) -> Iterator[Complaint]:
    """A write that comes again writes again."""
    writes = subject.tool.at("effects", "writes")
    if writes.value and subject.tool.at("idempotency").value is None:
        sentence = f'{subject.name} writes, and a call that is sent again writes again; add "idempotency"'
        yield Complaint("WRITE_WITHOUT_IDEMPOTENCY", writes.place.named(), sentence)


def type_list(part: Part) -> Iterator[Complaint]:
    """Several types in one schema; null beside one type is another rule's."""
    several = sorted(part.types - {"null"})
    if len(several) > 1:
        cure = " and ".join(f'{{"type": "{name}"}}' for name in several)
        sentence = f'{part.about} lists several types, which Gemini refuses; write "anyOf" of {cure}'
        yield Complaint("TYPE_LIST_IN_ARGUMENTS", part.node.spot("type"), sentence)


def null(part: Part) -> Iterator[Complaint]:
    """Null where leaving the argument out says the same."""
    if not part.optional:
        return
    if "null" in part.types:
        sentence = f"{part.about} may be left out; do not let it be null as well"
        yield Complaint("NULL_FOR_ABSENT", part.node.spot("type"), sentence)
