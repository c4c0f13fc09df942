"""Lint rules for a tool as a whole: cache, writes and argument types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolaccord.contract.policies import CachePolicy
from toolaccord.contract.server_contracts import ServerContract
from toolaccord.contract.tools import Tool
from toolaccord_codegen.ir.tool import CHANGING, find_effects_elsewhere, may_change
from toolaccord_codegen.lint.issues import Addition, Issue
from toolaccord_codegen.lint.rules.constraint import check_constraints
from toolaccord_codegen.lint.schema_walk import ARGUMENTS, LintedTool, Part

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
    bypasses = [
        part
        for part in subject.side(ARGUMENTS)
        if part.pointer.removeprefix("/") in BYPASS_NAMES and part.types == {"boolean"}
    ]
    tool = subject.record
    if isinstance(tool, Tool):
        for check in (_check_stated, _check_writes, _check_scopes, _check_inserts, _check_rate_limit, _check_content):
            yield from check(subject, tool)
    if isinstance(tool, Tool) and tool.cache:
        yield from _check_cache(subject, tool, tool.cache, bypasses)
    else:
        for part in bypasses:
            message = f"{part.label} bypasses a cache that the tool does not have; remove the argument or add a cache"
            yield Issue("BYPASS_WITHOUT_CACHE", part.place, message)
    for part in subject.side(ARGUMENTS):
        yield from _check_types(part)
        yield from _check_null(part)
        if not subject.contract.place.document.is_agent:
            yield from check_constraints(part)


def _check_cache(subject: LintedTool, tool: Tool, cache: CachePolicy, bypasses: list[Part]) -> Iterator[Issue]:
    """Yield a cache without bypass, one of fresh answers, and copies of old answers."""
    place = subject.tool.at("cache").place
    if tool.fresh:
        message = f'{tool.name} promises fresh answers and has a cache; remove "cache" or "fresh"'
        yield Issue("CACHED_THOUGH_FRESH", place.key_place(), message)
    if cache.store and cache.bypass and cache.memory_ttl_s is None:
        copy_s = min(1, cache.ttl_s)
        message = f'a refreshed answer of {tool.name} is hidden from other replicas; add "memory_ttl_s": {copy_s}'
        yield Issue(
            "MEMORY_TTL_MISSING", place.key_place(), message, additions=(Addition(place, "memory_ttl_s", copy_s),)
        )
    if cache.bypass is None:
        name = bypasses[0].name if bypasses else BYPASS
        message = f'callers of {tool.name} cannot bypass its cache; add "bypass": "{name}"'
        message += "" if bypasses else ", and a boolean argument of that name"
        additions = _bypass_additions(subject, bypasses)
        yield Issue("CACHE_WITHOUT_BYPASS", place.key_place(), message, additions=additions)


def _bypass_additions(subject: LintedTool, bypasses: list[Part]) -> tuple[Addition, ...]:
    """Return the additions that let callers bypass the cache. Empty if not possible."""
    if bypasses:
        return (Addition(subject.tool.at("cache").place, "bypass", bypasses[0].name),)
    members = subject.tool.at("parameters", "properties")
    if not isinstance(members.value, dict) or BYPASS in members.value:
        return ()
    argument = Addition(members.place, BYPASS, BYPASS_SCHEMA)
    return (argument, Addition(subject.tool.at("cache").place, "bypass", BYPASS))


def _check_content(subject: LintedTool, tool: Tool) -> Iterator[Issue]:
    """Yield content that a model without eyes and ears cannot read."""
    if tool.content and tool.returns is None and not {"text", "resource"} & {*tool.content}:
        message = f'{tool.name} says nothing to a model without images and audio; add "text" or "returns"'
        yield Issue("CONTENT_WITHOUT_TEXT", subject.tool.at("content").place.key_place(), message)


def _check_writes(subject: LintedTool, tool: Tool) -> Iterator[Issue]:
    """Yield a change without idempotency, and one that takes equal calls for repetitions."""
    for kind in (*CHANGING, "elsewhere") if tool.idempotency is None else ():
        effect = getattr(tool.effects, kind)
        verb = effect if kind == "elsewhere" else effect and kind
        if verb in CHANGING:
            message = f'a repeated call of {tool.name} {verb} again; add "idempotency"'
            yield Issue("WRITE_WITHOUT_IDEMPOTENCY", subject.tool.at("effects", kind).place.key_place(), message)
    if tool.effects.writes and tool.idempotency and "derived" in tool.idempotency.key_from:
        message = f'equal calls of {tool.name} write once within the window; remove "derived" if callers mean both'
        place = subject.tool.at("idempotency", "key_from").place
        yield Issue("DERIVED_KEY_OF_WRITE", place.key_place(), message)


def _check_scopes(subject: LintedTool, tool: Tool) -> Iterator[Issue]:
    """Yield a tool that changes something with the scopes of those that only read."""
    if not may_change(tool.effects) or tool.access is not None:
        return
    server = subject.contract.read(ServerContract)
    does_another_read = not all(may_change(each.effects) for each in server.tools)
    if any(each.access for each in server.tools) or (server.access and server.access.scopes and does_another_read):
        message = f'whoever may read may call {tool.name}, which changes something; add "access" with a scope'
        yield Issue("WRITE_WITHOUT_SCOPE", subject.tool.at("name").place.key_place(), message)


def _check_stated(subject: LintedTool, tool: Tool) -> Iterator[Issue]:
    """Yield effects that name no source and do not say that there are none."""
    if find_effects_elsewhere(tool.effects) == "unknown":
        message = (
            f"nobody stated what {tool.name} does, so hosts ask as before a deletion; name its sources, "
            'or add "elsewhere": "nothing", "reads", "adds" or "writes"'
        )
        yield Issue("EFFECTS_UNSTATED", subject.tool.at("effects").place.key_place(), message)


def _check_inserts(subject: LintedTool, tool: Tool) -> Iterator[Issue]:
    """Yield a source that a tool writes, although its privileges there let it only insert."""
    for index, source in enumerate(tool.effects.writes):
        tables = tool.effects.privileges.get(source, {})
        needed = {privilege for privileges in tables.values() for privilege in privileges}
        if "INSERT" in needed <= {"SELECT", "INSERT"}:
            message = (
                f'the privileges of {tool.name} let it only insert into {source}; name that in "adds" instead, '
                "so that hosts do not ask as before a deletion"
            )
            yield Issue("WRITE_THAT_ADDS", subject.tool.at("effects", "writes").place.at(index), message)


def _check_rate_limit(subject: LintedTool, tool: Tool) -> Iterator[Issue]:
    """Yield a limit that each replica counts by itself, though they have a store."""
    if not tool.rate_limit or tool.rate_limit.store:
        return
    stores = [name for name, source in subject.contract.items("sources").items() if source.at("kind").value == "redis"]
    if stores:
        place = subject.tool.at("rate_limit").place
        message = f'each replica allows callers of {tool.name} the whole limit; add "store": "{stores[0]}"'
        additions = (Addition(place, "store", stores[0]),) if len(stores) == 1 else ()
        yield Issue("RATE_LIMIT_NOT_SHARED", place.key_place(), message, additions=additions)


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
