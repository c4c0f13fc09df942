"""Numbers of the contract that whoever runs a server may replace: how long results are kept, and the limits of sources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, is_dataclass, replace
from typing import Any, TypeVar

from toolpact.declarations.settings import Setting, SettingsError, SettingValue
from toolpact.declarations.tool import AnyTool, Server, Tool
from toolpact.sources import SourceDeclaration

Call = TypeVar("Call")

_TTL, _PROVISIONAL_TTL = "cache_ttl_s", "cache_provisional_ttl_s"
_FEWEST, _MOST_OPEN = "min_connections", "max_connections"
_MAY_BE_NONE = {_FEWEST, "retries"}
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
        yield from _ttls(tool)
    for source in server.sources:
        for field in _limits(source):
            what = f"{field.name} of the source {source.name}"
            yield _setting(source.name, field.name, getattr(source, field.name), what, _schema(field))


def _ttls(tool: AnyTool) -> Iterator[Setting]:
    """Yield how long a tool's results may be kept."""
    if tool.cache is None:
        return
    schema: dict[str, Any] = {"type": "number", "minimum": 0}
    what = f"seconds for which a result of {tool.name} is kept; 0 keeps none"
    yield _setting(tool.name, _TTL, tool.cache.ttl_s, what, schema)
    if tool.cache.provisional_ttl_s is not None:
        what = f"seconds for which a result of {tool.name} that may still change is kept; 0 keeps none"
        yield _setting(tool.name, _PROVISIONAL_TTL, tool.cache.provisional_ttl_s, what, schema)


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
    """Return the fields of a declaration that hold numbers, those that the contract leaves out aside."""
    if not is_dataclass(source):
        return []
    return [field for field in fields(source) if _kind(field) and getattr(source, field.name) is not None]


def _kind(field: Field[Any]) -> str | None:
    """Return the JSON type of a field that holds a number; None for any other."""
    return {"int": "integer", "float": "number"}.get(str(field.type).removesuffix(" | None"))


def _schema(field: Field[Any]) -> dict[str, Any]:
    if _kind(field) == "number":
        return {"type": "number", "exclusiveMinimum": 0}
    return {"type": "integer", "minimum": 0 if field.name in _MAY_BE_NONE else 1, "maximum": _MOST}


def _with_ttl(tool: Tool[Any, Call, Any], values: Mapping[str, SettingValue]) -> Tool[Any, Call, Any]:
    if tool.cache is None:
        return tool
    said = {
        "ttl_s": values.get(_name(tool.name, _TTL)),
        "provisional_ttl_s": values.get(_name(tool.name, _PROVISIONAL_TTL)),
    }
    given: dict[str, Any] = {key: value for key, value in said.items() if value is not None}
    cache = replace(tool.cache, **given)
    return replace(tool, cache=cache if cache.ttl_s or cache.provisional_ttl_s else None)


def _with_limits(source: SourceDeclaration, values: Mapping[str, SettingValue]) -> SourceDeclaration:
    said = {field.name: values.get(_name(source.name, field.name)) for field in _limits(source)}
    given = {name: value for name, value in said.items() if value is not None}
    fewest, most = given.get(_FEWEST), given.get(_MOST_OPEN)
    if isinstance(fewest, int) and isinstance(most, int) and fewest > most:
        names = [_setting(source.name, key, None, "", {}).env for key in (_FEWEST, _MOST_OPEN)]
        raise SettingsError(f"{names[0]} ({fewest}) must be at most {names[1]} ({most}).")
    changed: SourceDeclaration = replace(source, **given) if given else source  # type: ignore[type-var]
    return changed
