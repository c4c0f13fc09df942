"""The settings of a server: what it reads from the environment, once, when it starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from toolpact.json_values import JsonObject
from toolpact.sources import addresses

SettingValue: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One value that the environment gives to a server."""

    name: str
    """How contract and handlers call it."""
    env: str
    """The environment variable it is read from."""
    description: str
    """What it is for."""
    schema: JsonObject
    """The JSON Schema of the value; `type` is one of string, integer, number, boolean."""
    default: SettingValue
    """The value when the environment says nothing."""
    required: bool
    """Whether the server refuses to start without it."""
    secret: bool
    """Whether the value must never be shown."""


class SettingsError(Exception):
    """Some settings are missing or wrong; the text names every one of them and what it is for."""


def read(
    settings: Iterable[Setting], environ: Mapping[str, str], kinds: Mapping[str, str] | None = None
) -> dict[str, SettingValue]:
    """Return the value of each setting by name; *kinds* says of those that are addresses which kind of source is there.

    An empty variable counts as absent. Raises SettingsError naming all that are missing or wrong, never the
    value of a secret.
    """
    values: dict[str, SettingValue] = {}
    problems: list[str] = []
    for setting in settings:
        try:
            values[setting.name] = _value(setting, environ.get(setting.env, ""), (kinds or {}).get(setting.name))
        except ValueError as problem:
            problems.append(f"  {setting.env} {problem}: {setting.description}")
    if problems:
        raise SettingsError("\n".join(["These settings are missing or wrong:", *problems]))
    return values


def _value(setting: Setting, text: str, kind: str | None) -> SettingValue:
    """Return the value that *text* stands for; ValueError says what is wrong with it."""
    if not text:
        if setting.required:
            raise ValueError("is required and not set")
        return setting.default
    try:
        value = _parse(setting.schema.get("type", "string"), text)
    except ValueError:
        raise ValueError(f"must be {_ARTICLE[setting.schema['type']]}{_shown(setting, text)}") from None
    if fault := _fault(setting.schema, value) or (addresses.fault(kind, text) if kind else None):
        raise ValueError(f"{fault}{_shown(setting, text)}")
    return value


_ARTICLE = {"string": "a text", "integer": "an integer", "number": "a number", "boolean": "true or false"}
_TRUTH = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def _parse(kind: str, text: str) -> SettingValue:
    if kind == "integer":
        return int(text)
    if kind == "number":
        return float(text)
    if kind == "boolean":
        if (truth := _TRUTH.get(text.lower())) is None:
            raise ValueError
        return truth
    return text


def _fault(schema: JsonObject, value: SettingValue) -> str | None:
    """Return what *schema* has against *value*, in words, or None."""
    from toolpact.schema.validator import SchemaValidator  # noqa: PLC0415 - a validator only for a value that was set

    violations = SchemaValidator(schema).violations(value)
    return violations[0].sentence.removeprefix("the value ") if violations else None


def _shown(setting: Setting, text: str) -> str:
    return "" if setting.secret else f" (it is {text[:60]!r})"
