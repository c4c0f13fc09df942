"""Find renamed keys that nobody sees, and give the old state their new names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from toolaccord_codegen.loading.json_equality import canonical_json
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.loading.schema_nodes import ContractValue

Names = Mapping[str, str]
"""New names by old names."""
SCHEMAS = frozenset({"$defs", "parameters", "returns", "schema", "payload", "input", "output", "result", "examples"})
"""Keys whose values refer to no key of a contract."""
REFERENCES = {
    **dict.fromkeys(("store", "source", "reads", "adds", "writes", "privileges", "sources"), "sources"),
    **dict.fromkeys(("publishes", "events"), "events"),
    **dict.fromkeys(("setting", "settings"), "settings"),
    "asks": "asks",
}
"""The part of a contract whose keys a value names: a text, a list, or the keys of an object."""


@dataclass(frozen=True, slots=True)
class Renames:
    """New names of keys by old ones, by the part of the contract that they stand in."""

    names: Mapping[str, Names] = field(default_factory=dict)

    def apply(self, contract: ContractValue) -> ContractValue:
        """Return a contract with the new names, at the places of the old ones."""
        return replace(contract, value=_rename_all(contract.value, self.names))


def find_renames(old: ContractValue, new: ContractValue) -> Renames:
    """Find parts that differ in their names alone.

    Sources are compared after settings, and events after sources, because they refer to these.
    """
    names: dict[str, Names] = {}
    for part, identify in IDENTITIES.items():
        before = as_object(as_object(_rename_all(old.value, names)).get(part))
        names[part] = _pair(before, as_object(as_object(new.value).get(part)), identify)
    return Renames(names)


def _pair(before: Mapping[str, Any], after: Mapping[str, Any], identify: Callable[[Mapping[str, Any]], Any]) -> Names:
    """Return the names that only one side has, of parts that alone have one identity."""
    sides = []
    for members, others in ((before, after), (after, before)):
        found: dict[str, list[str]] = {}
        for name in [each for each in members if each not in others]:
            found.setdefault(canonical_json(identify(as_object(members[name]))), []).append(name)
        sides.append(found)
    return {
        names[0]: sides[1][identity][0]
        for identity, names in sides[0].items()
        if len(names) == len(sides[1].get(identity, ())) == 1
    }


IDENTITIES: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "settings": lambda setting: setting.get("env"),
    "sources": lambda source: {key: part for key, part in source.items() if key == "kind" or isinstance(part, dict)},
    "events": lambda event: [event.get(key) for key in ("source", "subject", "channel")],
    "asks": lambda ask: [ask.get(key) for key in ("kind", "message", "description")],
}
"""Identities of parts for callers, subscribers and operators, who do not see keys."""


def _rename_all(value: Any, names: Mapping[str, Names]) -> Any:
    """Return the value of a contract with new names, if there are any."""
    return _rename(value, names) if any(names.values()) else value


def _rename(value: Any, names: Mapping[str, Names], key: str = "") -> Any:
    """Return a value of a contract with new names, given the key that it stands at."""
    if key in SCHEMAS:
        return value
    known = names.get(REFERENCES.get(key, ""), {})
    if isinstance(value, str):
        return known.get(value, value)
    if isinstance(value, list):
        return [_rename(part, names, key if isinstance(part, str) else "") for part in value]
    if isinstance(value, dict):
        return {known.get(name, name): _rename(part, names, name) for name, part in value.items()}
    return value
