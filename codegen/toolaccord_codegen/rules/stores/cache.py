"""Rules for tools with a cache."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.ir.tool import CHANGING
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.rules.stores.store import check_store
from toolaccord_codegen.rules.tool_view import ToolView


def check_cache(view: ToolView) -> Iterator[Problem]:
    """Yield caches on writing tools, contradictory times, and parameters of another kind."""
    if view.tool.get("cache") is None:
        return
    effects = as_object(view.tool.get("effects"))
    if any(map(effects.get, CHANGING)) or effects.get("elsewhere") in CHANGING:
        sentence = "a tool that writes, adds or publishes must run on every call; remove its cache"
        yield view.problem("/cache", "CACHED_WRITE", sentence)
    yield from check_store(view.document, f"{view.pointer}/cache", view.tool.get("cache"))
    yield from _check_times(view)
    yield from _check_bypass(view)
    yield from _check_precision(view)


def _check_times(view: ToolView) -> Iterator[Problem]:
    """Yield a result or a copy that would be cached too long, and copies of nothing shared."""
    cache = as_object(view.tool.get("cache"))
    ttl_s, provisional_ttl_s, memory_ttl_s = map(cache.get, ("ttl_s", "provisional_ttl_s", "memory_ttl_s"))
    if isinstance(ttl_s, int | float) and isinstance(provisional_ttl_s, int | float) and provisional_ttl_s >= ttl_s:
        sentence = "a result that may still change must live shorter than one that may not"
        yield view.problem("/cache/provisional_ttl_s", "PROVISIONAL_TTL", sentence)
    if "memory_ttl_s" in cache and "store" not in cache:
        sentence = 'memory_ttl_s is for copies of shared results; name a Redis source as "store", or remove it'
        yield view.problem("/cache/memory_ttl_s", "MEMORY_TTL", sentence)
    elif isinstance(ttl_s, int | float) and isinstance(memory_ttl_s, int | float) and memory_ttl_s > ttl_s:
        sentence = f"a copy cannot outlive its result; at most ttl_s, {ttl_s}, is allowed"
        yield view.problem("/cache/memory_ttl_s", "MEMORY_TTL", sentence)


def _check_bypass(view: ToolView) -> Iterator[Problem]:
    """Yield a bypass that is no boolean parameter."""
    bypass = as_object(view.tool.get("cache")).get("bypass")
    if not isinstance(bypass, str) or not view.is_resolved_object("parameters"):
        return
    if (view.argument(join_pointer("", bypass)) or {}).get("type") != "boolean":
        yield view.problem("/cache/bypass", "BYPASS_UNKNOWN", f'"{bypass}" is no boolean parameter of the tool')


def _check_precision(view: ToolView) -> Iterator[Problem]:
    """Yield rounded parameters that are no instants."""
    precision = as_object(view.tool.get("cache")).get("precision")
    if not view.is_resolved_object("parameters"):
        return
    for name in as_object(precision):
        if (view.argument(join_pointer("", name)) or {}).get("format") != "date-time":
            sentence = f'"{name}" is no date-time parameter of the tool'
            yield view.problem(join_pointer("/cache/precision", name), "PRECISION_UNKNOWN", sentence)
