"""Overrides of the contract's numbers by the environment: cache TTLs and limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from toolaccord.contract.settings import Setting, SettingValue, name_override
from toolaccord.declarations.settings import SettingsError
from toolaccord.declarations.tool import AnyTool, Server, Tool
from toolaccord.sources import SourceDeclaration

Call = TypeVar("Call")

_TTL, _PROVISIONAL_TTL, _MEMORY_TTL = "cache_ttl_s", "cache_provisional_ttl_s", "cache_memory_ttl_s"
_CALLS = "rate_limit_calls"
_CONCURRENCY = "task_concurrency"
_MIN_CONNECTIONS, _MAX_CONNECTIONS = "min_connections", "max_connections"
_MAY_BE_ZERO = {_MIN_CONNECTIONS, "retries"}
_LARGEST_LIMIT = 1000
"""Largest number of connections, calls or tasks."""
_MOST_CALLS = 10_000
"""Largest number of calls of a rate limit."""
_BYTES = {"minimum": 1024, "maximum": 1 << 30}
"""Range of a limit in bytes."""


def list_overrides(server: Server[Any]) -> tuple[Setting, ...]:
    """Return a setting for each number that the environment may replace.

    The contract's number is its default.
    """
    return tuple(_overrides(server))


def apply_overrides(server: Server[Call], values: Mapping[str, SettingValue]) -> Server[Call]:
    """Return *server* with the overrides in *values*.

    Raises SettingsError if two of them contradict each other.
    """
    tools = tuple(_apply_tool(tool, values) for tool in server.tools)
    return replace(server, tools=tools, sources=apply_source_overrides(server.sources, values))


def list_source_overrides(sources: Iterable[SourceDeclaration]) -> tuple[Setting, ...]:
    """Return a setting for each limit of *sources* that the environment may replace."""
    return tuple(
        _setting(source.name, key, getattr(source, key), f"{key} of the source {source.name}", _schema(source, key))
        for source in sources
        for key in _limits(source)
    )


def apply_source_overrides(
    sources: Iterable[SourceDeclaration], values: Mapping[str, SettingValue]
) -> tuple[SourceDeclaration, ...]:
    """Return *sources* with the overrides in *values*.

    Raises SettingsError if two of them contradict each other.
    """
    return tuple(_apply_limits(source, values) for source in sources)


def _overrides(server: Server[Any]) -> Iterator[Setting]:
    for tool in server.tools:
        yield from _ttls(tool)
        if tool.rate_limit is not None:
            description = (
                f"calls of {tool.name} in {tool.rate_limit.window_s} s that each caller may make; 0 for any number"
            )
            calls_schema = {"type": "integer", "minimum": 0, "maximum": _MOST_CALLS}
            yield _setting(tool.name, _CALLS, tool.rate_limit.calls, description, calls_schema)
        if tool.task is not None:
            description = f"tasks of {tool.name} that each process runs at once; 0 runs none"
            tasks_schema = {"type": "integer", "minimum": 0, "maximum": _LARGEST_LIMIT}
            yield _setting(tool.name, _CONCURRENCY, tool.task.concurrency, description, tasks_schema)
    yield from list_source_overrides(server.sources)


def _ttls(tool: AnyTool) -> Iterator[Setting]:
    """Yield settings for the cache TTLs of a tool."""
    if tool.cache is None:
        return
    schema: dict[str, Any] = {"type": "number", "minimum": 0}
    description = f"seconds for which a result of {tool.name} is cached; 0 disables the cache"
    yield _setting(tool.name, _TTL, tool.cache.ttl_s, description, schema)
    if tool.cache.provisional_ttl_s is not None:
        description = f"seconds for which a provisional result of {tool.name} is cached; 0 caches none"
        yield _setting(tool.name, _PROVISIONAL_TTL, tool.cache.provisional_ttl_s, description, schema)
    if tool.cache.memory_ttl_s is not None:
        description = f"seconds for which a copy of a shared result of {tool.name} is in memory; 0 keeps none"
        yield _setting(tool.name, _MEMORY_TTL, tool.cache.memory_ttl_s, description, schema)


def _setting(holder: str, key: str, default: SettingValue, description: str, schema: dict[str, Any]) -> Setting:
    return Setting(
        name=_setting_name(holder, key),
        env=name_override(holder, key),
        description=description,
        schema=schema,
        default=default,
        required=False,
        secret=False,
    )


def _setting_name(holder: str, key: str) -> str:
    """Return a name with a dot, which no setting of a contract has."""
    return f"{holder}.{key}"


def _limits(source: SourceDeclaration) -> list[str]:
    """Return the keys of a declaration that are numbers, and that the schema of an own kind has."""
    if not is_dataclass(source):
        return []
    values: dict[str, Any] = {each.name: getattr(source, each.name) for each in fields(source)}
    if own := getattr(source, "schema", None):
        values = {key: each for key, each in values.items() if key in own["properties"]}
    return [key for key, each in values.items() if isinstance(each, int | float) and not isinstance(each, bool)]


def _schema(source: SourceDeclaration, key: str) -> dict[str, Any]:
    if own := getattr(source, "schema", None):  # of a kind of one's own
        return dict(own["properties"][key])
    if key.endswith(("_s", "_per_second")):
        return {"type": "number", "exclusiveMinimum": 0}
    if key.endswith("_bytes"):
        return {"type": "integer", **_BYTES}
    return {"type": "integer", "minimum": 0 if key in _MAY_BE_ZERO else 1, "maximum": _LARGEST_LIMIT}


def _apply_tool(tool: Tool[Any, Call, Any], values: Mapping[str, SettingValue]) -> Tool[Any, Call, Any]:
    tool = _apply_ttls(tool, values)
    calls, concurrency = (values.get(_setting_name(tool.name, key)) for key in (_CALLS, _CONCURRENCY))
    if tool.rate_limit and isinstance(calls, int):
        tool = replace(tool, rate_limit=replace(tool.rate_limit, calls=calls) if calls else None)
    if tool.task and isinstance(concurrency, int):
        tool = replace(tool, task=replace(tool.task, concurrency=concurrency))
    return tool


def _apply_ttls(tool: Tool[Any, Call, Any], values: Mapping[str, SettingValue]) -> Tool[Any, Call, Any]:
    if tool.cache is None:
        return tool
    overrides = {
        "ttl_s": values.get(_setting_name(tool.name, _TTL)),
        "provisional_ttl_s": values.get(_setting_name(tool.name, _PROVISIONAL_TTL)),
        "memory_ttl_s": values.get(_setting_name(tool.name, _MEMORY_TTL)),
    }
    changes: dict[str, Any] = {key: value for key, value in overrides.items() if value is not None}
    cache = replace(tool.cache, **changes)
    return replace(tool, cache=cache if cache.ttl_s or cache.provisional_ttl_s else None)


def _apply_limits(source: SourceDeclaration, values: Mapping[str, SettingValue]) -> SourceDeclaration:
    overrides = {key: values.get(_setting_name(source.name, key)) for key in _limits(source)}
    changes = {name: value for name, value in overrides.items() if value is not None}
    lower, upper = changes.get(_MIN_CONNECTIONS), changes.get(_MAX_CONNECTIONS)
    if isinstance(lower, int) and isinstance(upper, int) and lower > upper:
        names = [name_override(source.name, key) for key in (_MIN_CONNECTIONS, _MAX_CONNECTIONS)]
        raise SettingsError(f"{names[0]} ({lower}) must be at most {names[1]} ({upper}).")
    changed: SourceDeclaration = replace(source, **changes) if changes else source  # type: ignore[type-var]
    return changed
