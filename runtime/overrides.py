"""Numbers of the contract that whoever runs a server may replace: how long results are kept, and the limits of sources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, is_dataclass, replace
from typing import Any, TypeVar

from runtime.settings import Setting, SettingsError, SettingValue
from runtime.sources import SourceDeclaration
from runtime.tool import CachePolicy, Server, Tool

Call = TypeVar("Call")

_TTL = "cache_ttl_s"
_FEWEST, _MOST_OPEN = "min_connections", "max_connections"
_MOST = 1000
"""The most connections or calls that a contract may ask for."""


def overrides(server: Server[Any]) -> tuple[Setting, ...]:
    """Return what the environment may say instead of the contract; the contract's number is the default."""
    return tuple(_overrides(server))


def overridden(server: Server[Call], values: Mapping[str, SettingValue]) -> Server[Call]:
    """Return *server* with the numbers that *values* has for its overrides. Raises SettingsError where two disagree."""
    tools = tuple(_with_ttl(tool, values) for tool in server.tools)
    return replace(server, tools=tools, sources=tuple(_with_limits(source, values) for source in server.sources))


def _overrides(server: Server[Any]) -> Iterator[Setting]:
    for tool in server.tools:
        if tool.cache:
            what = f"seconds for which a result of {tool.name} is kept; 0 keeps none"
            yield _setting(tool.name, _TTL, tool.cache.ttl_s, what, {"type": "number", "minimum": 0})
    for source in server.sources:
        for field in _limits(source):
            what = f"{field.name} of the source {source.name}"
            yield _setting(source.name, field.name, getattr(source, field.name), what, _schema(field))


def _setting(holder: str, key: str, said: SettingValue, description: str, schema: dict[str, Any]) -> Setting:
    return Setting(
        name=_name(holder, key),
        env=re.sub(r"[^A-Z0-9]", "_", f"{holder}_{key}".upper()),
        description=description,
        schema=schema,
        default=said,
        required=False,
        secret=False,
    )


def _name(holder: str, key: str) -> str:
    """Return a name that no setting of a contract can have."""
    return f"{holder}.{key}"


def _limits(source: SourceDeclaration) -> list[Field[Any]]:
    """Return the fields of a declaration that hold numbers."""
    if not is_dataclass(source):
        return []
    return [field for field in fields(source) if field.type in {"int", "float", int, float}]


def _schema(field: Field[Any]) -> dict[str, Any]:
    if field.type in {"float", float}:
        return {"type": "number", "exclusiveMinimum": 0}
    return {"type": "integer", "minimum": 0 if field.name == _FEWEST else 1, "maximum": _MOST}


def _with_ttl(tool: Tool[Any, Call, Any], values: Mapping[str, SettingValue]) -> Tool[Any, Call, Any]:
    ttl_s = values.get(_name(tool.name, _TTL))
    if tool.cache is None or not isinstance(ttl_s, int | float):
        return tool
    return replace(tool, cache=CachePolicy(ttl_s=ttl_s, bypass=tool.cache.bypass) if ttl_s else None)


def _with_limits(source: SourceDeclaration, values: Mapping[str, SettingValue]) -> SourceDeclaration:
    said = {field.name: values.get(_name(source.name, field.name)) for field in _limits(source)}
    given = {name: value for name, value in said.items() if value is not None}
    fewest, most = given.get(_FEWEST), given.get(_MOST_OPEN)
    if isinstance(fewest, int) and isinstance(most, int) and fewest > most:
        names = [_setting(source.name, key, None, "", {}).env for key in (_FEWEST, _MOST_OPEN)]
        raise SettingsError(f"{names[0]} ({fewest}) must be at most {names[1]} ({most}).")
    changed: SourceDeclaration = replace(source, **given) if given else source  # type: ignore[type-var]
    return changed
