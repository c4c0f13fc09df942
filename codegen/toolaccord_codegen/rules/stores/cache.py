"""Rules for tools with a cache."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.policies import CachePolicy
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.ir.tool import may_change
from toolaccord_codegen.rules.stores.store import check_store
from toolaccord_codegen.rules.tool_view import ToolView


def check_cache(view: ToolView) -> Iterator[Problem]:
    """Yield caches on writing tools, contradictory times, and parameters of another kind."""
    cache, effects = view.declared.cache, view.declared.effects
    if cache is None:
        return
    if may_change(effects):
        sentence = "a tool that writes, adds or publishes must run on every call; remove its cache"
        yield view.problem("/cache", "CACHED_WRITE", sentence)
    yield from check_store(view.document, f"{view.pointer}/cache", cache.store, view.contract.sources)
    yield from _check_times(view, cache)
    if view.is_resolved_object("parameters"):
        yield from _check_parameters(view, cache)


def _check_times(view: ToolView, cache: CachePolicy) -> Iterator[Problem]:
    """Yield a result or a copy that would be cached too long, and copies of nothing shared."""
    if cache.provisional_ttl_s is not None and cache.provisional_ttl_s >= cache.ttl_s:
        sentence = "a result that may still change must live shorter than one that may not"
        yield view.problem("/cache/provisional_ttl_s", "PROVISIONAL_TTL", sentence)
    if cache.memory_ttl_s is not None and cache.store is None:
        sentence = 'memory_ttl_s is for copies of shared results; name a Redis source as "store", or remove it'
        yield view.problem("/cache/memory_ttl_s", "MEMORY_TTL", sentence)
    elif cache.memory_ttl_s is not None and cache.memory_ttl_s > cache.ttl_s:
        sentence = f"a copy cannot outlive its result; at most ttl_s, {cache.ttl_s}, is allowed"
        yield view.problem("/cache/memory_ttl_s", "MEMORY_TTL", sentence)


def _check_parameters(view: ToolView, cache: CachePolicy) -> Iterator[Problem]:
    """Yield a bypass that is no boolean parameter, and rounded parameters that are no instants."""
    if cache.bypass and (view.argument(join_pointer("", cache.bypass)) or {}).get("type") != "boolean":
        yield view.problem("/cache/bypass", "BYPASS_UNKNOWN", f'"{cache.bypass}" is no boolean parameter of the tool')
    for name in cache.precision:
        if (view.argument(join_pointer("", name)) or {}).get("format") != "date-time":
            sentence = f'"{name}" is no date-time parameter of the tool'
            yield view.problem(join_pointer("/cache/precision", name), "PRECISION_UNKNOWN", sentence)
