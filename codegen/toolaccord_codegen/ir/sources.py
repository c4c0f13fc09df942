"""Sources of a contract: their values, the settings that they use, and their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolaccord.contract.constraints import Within
from toolaccord.contract.sources import CustomSource, Source
from toolaccord_codegen.loading.record_keys import find_mark, list_keys
from toolaccord_codegen.naming import list_arguments


def list_values(source: Source) -> dict[str, Any]:
    """Return the values of a source other than their default by key; a setting is its name."""
    if not isinstance(source, CustomSource):
        return dict(list_arguments(source))
    keys = {key: _name_settings(part) for key, part in source.keys.items() if not key.startswith("x-")}
    return {"name": source.name} | {
        key: part if key.endswith(("_s", "_per_second")) or not isinstance(part, float) else int(part)
        for key, part in keys.items()
    }


def _name_settings(part: Any) -> Any:
    """Return the names of settings in the place of the objects that hold them."""
    if not isinstance(part, dict):
        return part
    if isinstance(part.get("setting"), str):
        return part["setting"]
    is_group = all(isinstance(each, dict) and [*each] == ["setting"] for each in part.values())
    return {name: each["setting"] for name, each in part.items()} if is_group else part


def list_used_settings(source: Source) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the settings that a source uses, with the keys that lead to each."""
    values = list_values(source)
    if isinstance(source, CustomSource):
        named = [key for key, part in source.keys.items() if isinstance(part, dict) and values.get(key, part) != part]
    else:
        keys = list_keys(type(source))  # type: ignore[arg-type] # a class is hashable
        named = [key.name for key in keys if find_mark(key.hint, Within) or isinstance(values.get(key.name), dict)]
    for key in named:
        if isinstance(group := values.get(key), dict):
            yield from (((key, name, "setting"), each) for name, each in group.items())
        elif group is not None:
            yield (key, "setting"), group


def list_limits(source: Source) -> list[tuple[str, int | float]]:
    """List the numbers of a source, by key."""
    if isinstance(source, CustomSource):
        keys = source.keys
    else:
        keys = {key.name: getattr(source, key.name) for key in list_keys(type(source))}  # type: ignore[arg-type] # likewise
    return [(key, each) for key, each in keys.items() if isinstance(each, int | float) and not isinstance(each, bool)]
