"""Lint rules for a tool as a whole: cache, writes and argument types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolaccord.semantics.effects import find_elsewhere
from toolaccord_codegen.ir.tool import CHANGING
from toolaccord_codegen.lint.issues import Addition, Issue, string_items
from toolaccord_codegen.lint.rules.constraint import check_constraints
from toolaccord_codegen.lint.schema_walk import ARGUMENTS, LintedTool, Part
from toolaccord_codegen.loading.references import as_array, as_object
from toolaccord_codegen.loading.schema_nodes import ContractValue

BYPASS = "force_refresh"
BYPASS_NAMES = frozenset({BYPASS, "refresh", "no_cache", "bypass_cache", "skip_cache"})
"""Names of arguments that bypass a cache."""
BYPASS_SCHEMA: dict[str, Any] = {
    "type": "boolean",
    "default": False,
    "description": "Bypass the cache and fetch a fresh answer",
}


def check_tool(subject: LintedTool) -> Iterator[Issue]:
    """Yield issues with one tool as a whole."""
    yield from _check_cache(subject)
    yield from _check_stated(subject)
    yield from _check_writes(subject)
    yield from _check_scopes(subject)
    yield from _check_inserts(subject)
    yield from _check_rate_limit(subject)
    yield from _check_content(subject)
    for part in subject.side(ARGUMENTS):
        yield from _check_types(part)
        yield from _check_null(part)
        if not subject.contract.place.document.is_agent:
            yield from check_constraints(part)


def _check_cache(subject: LintedTool) -> Iterator[Issue]:
    """Yield a cache without bypass, a bypass without cache, and a cache of fresh answers."""
    cache = subject.tool.at("cache")
    bypasses = [
        part
        for part in subject.side(ARGUMENTS)
        if part.pointer.removeprefix("/") in BYPASS_NAMES and part.types == {"boolean"}
    ]
    if cache.value is None:
        for part in bypasses:
            message = f"{part.label} bypasses a cache that the tool does not have; remove the argument or add a cache"
            yield Issue("BYPASS_WITHOUT_CACHE", part.place, message)
        return
    if subject.tool.at("fresh").value is True:
        message = f'{subject.name} promises fresh answers and has a cache; remove "cache" or "fresh"'
        yield Issue("CACHED_THOUGH_FRESH", cache.place.key_place(), message)
    yield from _check_copies(subject)
    if "bypass" not in as_object(cache.value):
        name = bypasses[0].name if bypasses else BYPASS
        message = f'callers of {subject.name} cannot bypass its cache; add "bypass": "{name}"'
        message += "" if bypasses else ", and a boolean argument of that name"
        yield Issue(
            "CACHE_WITHOUT_BYPASS", cache.place.key_place(), message, additions=_bypass_additions(subject, bypasses)
        )


def _check_copies(subject: LintedTool) -> Iterator[Issue]:
    """Yield a shared cache whose copies hide refreshed answers."""
    cache = subject.tool.at("cache")
    keys = as_object(cache.value)
    if "store" in keys and "bypass" in keys and "memory_ttl_s" not in keys:
        copy_s = min(1, keys["ttl_s"])
        message = f'a refreshed answer of {subject.name} is hidden from other replicas; add "memory_ttl_s": {copy_s}'
        addition = Addition(cache.place, "memory_ttl_s", copy_s)
        yield Issue("MEMORY_TTL_MISSING", cache.place.key_place(), message, additions=(addition,))


def _bypass_additions(subject: LintedTool, bypasses: list[Part]) -> tuple[Addition, ...]:
    """Return the additions that let callers bypass the cache. Empty if not possible."""
    if bypasses:
        return (Addition(subject.tool.at("cache").place, "bypass", bypasses[0].name),)
    members = subject.tool.at("parameters", "properties")
    if not isinstance(members.value, dict) or BYPASS in members.value:
        return ()
    argument = Addition(members.place, BYPASS, BYPASS_SCHEMA)
    return (argument, Addition(subject.tool.at("cache").place, "bypass", BYPASS))


def _check_content(subject: LintedTool) -> Iterator[Issue]:
    """Yield content that a model without eyes and ears cannot read."""
    content = subject.tool.at("content")
    has_result = subject.tool.at("returns").value is not None
    if content.value is not None and not has_result and not {"text", "resource"} & set(string_items(content.value)):
        message = f'{subject.name} says nothing to a model without images and audio; add "text" or "returns"'
        yield Issue("CONTENT_WITHOUT_TEXT", content.place.key_place(), message)


def _check_writes(subject: LintedTool) -> Iterator[Issue]:
    """Yield a change without idempotency, and one that takes equal calls for repetitions."""
    writes, keys = subject.tool.at("effects", "writes"), subject.tool.at("idempotency", "key_from")
    for kind in (*CHANGING, "elsewhere"):
        effect = subject.tool.at("effects", kind)
        verb = effect.value if kind == "elsewhere" else effect.value and kind
        if verb in CHANGING and subject.tool.at("idempotency").value is None:
            message = f'a repeated call of {subject.name} {verb} again; add "idempotency"'
            yield Issue("WRITE_WITHOUT_IDEMPOTENCY", effect.place.key_place(), message)
    if writes.value and "derived" in as_array(keys.value):
        message = f'equal calls of {subject.name} write once within the window; remove "derived" if callers mean both'
        yield Issue("DERIVED_KEY_OF_WRITE", keys.place.key_place(), message)


def _check_scopes(subject: LintedTool) -> Iterator[Issue]:
    """Yield a tool that changes something with the scopes of those that only read."""
    if not _changes_something(subject.tool) or subject.tool.at("access").value is not None:
        return
    tools = list(subject.contract.listed("tools"))
    if any(each.at("access").value is not None for each in tools) or (
        string_items(subject.contract.at("access", "scopes").value) and not all(map(_changes_something, tools))
    ):
        message = f'whoever may read may call {subject.name}, which changes something; add "access" with a scope'
        yield Issue("WRITE_WITHOUT_SCOPE", subject.tool.at("name").place.key_place(), message)


def _changes_something(tool: ContractValue) -> bool:
    """Return True for a tool whose effects state a change."""
    effects = as_object(tool.at("effects").value)
    return any(effects.get(kind) for kind in CHANGING) or effects.get("elsewhere") in CHANGING


def _check_stated(subject: LintedTool) -> Iterator[Issue]:
    """Yield effects that name no source and do not say that there are none."""
    effects = subject.tool.at("effects")
    if isinstance(effects.value, dict) and find_elsewhere(effects.value) == "unknown":
        message = (
            f"nobody stated what {subject.name} does, so hosts ask as before a deletion; name its sources, "
            'or add "elsewhere": "nothing", "reads", "adds" or "writes"'
        )
        yield Issue("EFFECTS_UNSTATED", effects.place.key_place(), message)


def _check_inserts(subject: LintedTool) -> Iterator[Issue]:
    """Yield a source that a tool writes, although its privileges there let it only insert."""
    writes = subject.tool.at("effects", "writes")
    for index, source in enumerate(string_items(writes.value)):
        tables = as_object(subject.tool.at("effects", "privileges", source).value)
        needed = {privilege for privileges in tables.values() for privilege in string_items(privileges)}
        if "INSERT" in needed <= {"SELECT", "INSERT"}:
            message = (
                f'the privileges of {subject.name} let it only insert into {source}; name that in "adds" instead, '
                "so that hosts do not ask as before a deletion"
            )
            yield Issue("WRITE_THAT_ADDS", writes.place.at(index), message)


def _check_rate_limit(subject: LintedTool) -> Iterator[Issue]:
    """Yield a limit that each replica counts by itself, though they have a store."""
    limit = subject.tool.at("rate_limit")
    sources = as_object(subject.contract.at("sources").value)
    stores = [name for name, source in sources.items() if as_object(source).get("kind") == "redis"]
    if limit.value is not None and "store" not in as_object(limit.value) and stores:
        message = f'each replica allows callers of {subject.name} the whole limit; add "store": "{stores[0]}"'
        additions = (Addition(limit.place, "store", stores[0]),) if len(stores) == 1 else ()
        yield Issue("RATE_LIMIT_NOT_SHARED", limit.place.key_place(), message, additions=additions)


def _check_types(part: Part) -> Iterator[Issue]:
    """Yield a schema with several types. Null beside one type belongs to another rule."""
    types = sorted(part.types - {"null"})
    if len(types) > 1:
        alternatives = " and ".join(f'{{"type": "{name}"}}' for name in types)
        message = f'{part.label} lists several types, which Gemini rejects; write "anyOf" of {alternatives}'
        yield Issue("TYPE_LIST_IN_ARGUMENTS", part.node.keyword_place("type"), message)


def _check_null(part: Part) -> Iterator[Issue]:
    """Yield an optional argument that may also be null."""
    if not part.optional:
        return
    if "null" in part.types:
        message = f"{part.label} is optional and may also be null; allow only one of the two"
        yield Issue("NULL_FOR_ABSENT", part.node.keyword_place("type"), message)
