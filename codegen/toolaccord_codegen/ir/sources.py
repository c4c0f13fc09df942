"""Sources of a contract: their settings, paths and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord.contract import sources
from toolaccord.contract.constraints import Within
from toolaccord_codegen.loading.record_keys import Key, find_mark, list_keys

_TEXTS = ("caller_parameter", "store")
"""Keys whose texts a declaration has as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A system that handlers use."""

    name: str
    kind: str
    settings: Mapping[str, str]
    """The settings that hold its address and credentials, by key."""
    values: Mapping[str, Any]
    """Numbers other than their default, and values of a kind of one's own, by key."""
    groups: Mapping[str, Mapping[str, str]]
    """The settings that it names in groups, such as `headers`, by key and name."""

    @property
    def used_settings(self) -> tuple[str, ...]:
        """Return the names of the settings that configure it."""
        return (*self.settings.values(), *(each for group in self.groups.values() for each in group.values()))


def split_source(source: sources.Source) -> Source:
    """Split the keys of a source into settings, groups of settings, and other values."""
    if isinstance(source, sources.CustomSource):
        return _split_custom(source)
    keys = {key.name: (key, getattr(source, key.name)) for key in _list_keys(source)}
    settings = {name: value for name, (key, value) in keys.items() if find_mark(key.hint, Within) and value is not None}
    groups = {name: value for name, (_, value) in keys.items() if isinstance(value, dict) and value}
    values: dict[str, Any] = {name: value for name, value in list_limits(source) if value != keys[name][0].default}
    values |= {name: value for name, (_, value) in keys.items() if isinstance(value, str) and name in _TEXTS}
    return Source(name=source.name, kind=source.kind, settings=settings, values=values, groups=groups)


def _split_custom(source: sources.CustomSource) -> Source:
    """Split the keys of a source whose kind no record declares, by their form."""
    keys = {key: part for key, part in source.keys.items() if not key.startswith("x-")}
    objects = {key: part for key, part in keys.items() if isinstance(part, dict)}
    settings = {key: part["setting"] for key, part in objects.items() if isinstance(part.get("setting"), str)}
    groups = {
        key: {name: each["setting"] for name, each in part.items()}
        for key, part in objects.items()
        if key not in settings and all(isinstance(each, dict) and [*each] == ["setting"] for each in part.values())
    }
    values = {
        key: part if key.endswith(("_s", "_per_second")) or not isinstance(part, float) else int(part)
        for key, part in keys.items()
        if key not in settings and key not in groups
    }
    return Source(name=source.name, kind=source.kind, settings=settings, values=values, groups=groups)


def list_limits(source: sources.Source) -> list[tuple[str, int | float]]:
    """List the numbers of a source, by key."""
    keys: Mapping[str, Any] = {key.name: getattr(source, key.name) for key in _list_keys(source)}
    if isinstance(source, sources.CustomSource):
        keys = source.keys
    return [(key, each) for key, each in keys.items() if isinstance(each, int | float) and not isinstance(each, bool)]


def list_used_settings(source: sources.Source) -> list[tuple[tuple[str, ...], str]]:
    """List the settings that a source uses, with the keys that lead to each."""
    split = split_source(source)
    found: list[tuple[tuple[str, ...], str]] = [((key, "setting"), name) for key, name in split.settings.items()]
    groups = split.groups.items()
    return found + [((key, each, "setting"), name) for key, group in groups for each, name in group.items()]


def _list_keys(source: sources.Source) -> tuple[Key, ...]:
    return list_keys(type(source))  # type: ignore[arg-type] # a class is hashable
