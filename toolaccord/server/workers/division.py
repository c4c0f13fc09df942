"""Limits of one server, divided among its workers, and servers that have none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from toolaccord.config.ask_settings import list_state_keys
from toolaccord.config.session_settings import STORE
from toolaccord.contract.settings import name_override
from toolaccord.declarations.tool import Server
from toolaccord.server.startup import UnsuitableOption
from toolaccord.sources import SourceDeclaration

Call = TypeVar("Call")
_DIVIDED = ("mcp_cache_bytes", "mcp_max_connections")
"""Settings that hold for all workers together."""
_SHARES = ("max_connections", "max_in_flight")
"""Limits of sources of which each worker needs one at least."""


def divide(server: Server[Call], settings: Mapping[str, Any], count: int) -> tuple[Server[Call], Mapping[str, Any]]:
    """Return *server* and *settings* as each of *count* workers has them.

    Raises UnsuitableOption for a server whose promises several processes cannot keep.
    """
    if reasons := [*_find_obstacles(server, settings), *_find_small_limits(server, count)]:
        raise UnsuitableOption("\n".join(f"--workers {count}: {reason}." for reason in reasons))
    sources = tuple(_divide_source(source, count) for source in server.sources)
    shares = {name: settings[name] // count for name in _DIVIDED}
    shares["mcp_max_connections"] = max(shares["mcp_max_connections"], 1)
    return replace(server, sources=sources), {**settings, **shares}


def _find_obstacles(server: Server[Any], settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield the reasons why *server* must be one process."""
    if server.sessions and not settings.get(STORE):
        yield (
            "a session lives in one process, and its requests would reach another one "
            "(asks, subscriptions and log messages to clients need sessions too); "
            f"set {STORE.upper()} to a Redis that keeps the sessions, or start one worker"
        )
    if server.asks and not list_state_keys(settings):
        yield "each worker would seal the calls that wait for answers with a key of its own; set MCP_STATE_KEY"
    if any(tool.task for tool in server.tools) and server.task_store is None:
        yield (
            "a task lives in the memory of one process, and another one would not find it; "
            "name a Redis or NATS source as the store of each task in the contract and set its address, "
            "or start one worker"
        )
    if alone := [each.name for each in server.handled if each.rate_limit and each.rate_limit.store is None]:
        yield (
            f"each worker would allow a caller the whole rate limit of {', '.join(alone)}; "
            "name a Redis source as the store of each rate_limit in the contract, or start one worker"
        )


def _find_small_limits(server: Server[Any], count: int) -> Iterator[str]:
    """Yield the limits of sources that are too small for *count* workers."""
    for source in server.sources:
        for name, limit in _list_shares(source):
            if limit < count:
                yield (
                    f"the limit {name_override(source.name, name)} is {limit}, and each worker needs one; "
                    f"set it to {count} or more"
                )


def _list_shares(source: SourceDeclaration) -> list[tuple[str, int]]:
    """Return the limits of *source* that workers share.

    One connection of gRPC carries all calls of a process.
    """
    if not is_dataclass(source):
        return []
    names = [field.name for field in fields(source) if field.name in _SHARES]
    if source.kind == "grpc":
        names.remove("max_connections")
    return [(name, limit) for name in names if (limit := getattr(source, name)) is not None]


def _divide_source(source: SourceDeclaration, count: int) -> SourceDeclaration:
    changes: dict[str, Any] = {name: limit // count for name, limit in _list_shares(source)}
    if (lower := getattr(source, "min_connections", None)) is not None:
        changes["min_connections"] = lower // count
    rate = getattr(source, "requests_per_second", None)
    if rate is not None and getattr(source, "store", None) is None:
        changes["requests_per_second"] = rate / count
    divided: SourceDeclaration = replace(source, **changes) if changes else source  # type: ignore[type-var]
    return divided
