"""Settings of a server, read from the environment once, at its start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolaccord.contract.settings import Setting, SettingValue
from toolaccord.json_values import JsonObject
from toolaccord.sources import addresses


class SettingsError(Exception):
    """Some settings are missing or wrong; the text names each of them and its purpose."""


def read_settings(
    settings: Iterable[Setting], environ: Mapping[str, str], kinds: Mapping[str, str] | None = None
) -> dict[str, SettingValue]:
    """Return the value of each setting by name.

    *kinds* maps the name of each setting that is an address to the kind of its source. An empty variable counts as
    absent. Raises SettingsError, which names all missing or wrong settings, and never the value of a secret.
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
    """Return the value of *setting* in *text*.

    Raises ValueError with a sentence about the fault.
    """
    if not text:
        if setting.required:
            raise ValueError("is required and not set")
        return setting.default
    try:
        value = _parse(setting.schema.get("type", "string"), text)
    except ValueError:
        raise ValueError(f"must be {_ARTICLE[setting.schema['type']]}{_quoted(setting, text)}") from None
    if fault := _schema_fault(setting.schema, value) or (addresses.find_address_error(kind, text) if kind else None):
        raise ValueError(f"{fault}{_quoted(setting, text)}")
    return value


_ARTICLE = {"string": "a text", "integer": "an integer", "number": "a number", "boolean": "true or false"}
_BOOLEANS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def _parse(kind: str, text: str) -> SettingValue:
    if kind == "integer":
        return int(text)
    if kind == "number":
        return float(text)
    if kind == "boolean":
        if (boolean := _BOOLEANS.get(text.lower())) is None:
            raise ValueError
        return boolean
    return text


def _schema_fault(schema: JsonObject, value: SettingValue) -> str | None:
    """Return the first violation of *schema* in words; None if *value* is valid."""
    from toolaccord.schema.validator import SchemaValidator  # noqa: PLC0415 - a validator is loaded only for a value that is set

    violations = SchemaValidator(schema).violations(value)
    return violations[0].sentence.removeprefix("the value ") if violations else None


def _quoted(setting: Setting, text: str) -> str:
    return "" if setting.secret else f" (it is {text[:60]!r})"
