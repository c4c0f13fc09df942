"""Compare the sources that a call uses, and what it does to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord.semantics.effects import Elsewhere, find_elsewhere
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.ir.tool import CHANGING
from toolaccord_codegen.loading.references import as_array, as_object
from toolaccord_codegen.loading.schema_nodes import ContractValue

_FORCE: Mapping[Elsewhere, int] = {"nothing": 0, "reads": 0, "adds": 1, "writes": 2, "unknown": 3}
"""Force of effects beyond the named sources; more needs another consent."""
_DEEDS: Mapping[Elsewhere, str] = {
    "nothing": "nothing",
    "reads": "it only reads",
    "adds": "it adds",
    "writes": "it writes",
    "unknown": "nobody states it",
}


@dataclass(frozen=True, slots=True)
class _Effects:
    """Sources that one state of a tool changes, by the form in which it says so."""

    writes: frozenset[str]
    adds: frozenset[str]
    carriers: frozenset[str]
    """Sources of its events."""
    elsewhere: Elsewhere
    """Effects beyond these sources."""

    @property
    def named(self) -> frozenset[str]:
        """Return the sources that the effects name."""
        return self.writes | self.adds

    @property
    def all(self) -> frozenset[str]:
        """Return the sources that it changes in any form."""
        return self.named | self.carriers


def effect_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield changes of a call's sources; `publication_changes` has those of its events."""
    contracts = tool.around.contracts
    old, new = _read_effects(tool.old, contracts[0]), _read_effects(tool.new, contracts[1])
    yield from _elsewhere_changes(tool, old.elsewhere, new.elsewhere)
    if old.elsewhere == "unknown":  # hosts and users consented to anything
        return
    start = "" if old.named else "; before, it wrote nothing"
    for key, added in (("writes", new.writes - old.named), ("adds", new.adds - old.all)):
        for name in sorted(added):
            message = f"the tool now {key} to {name}{start}"
            yield tool.change("SIDE_EFFECT_ADDED", message, "effects", key, detail=name)
    for key, removed in (("writes", old.writes - new.named), ("adds", old.adds - new.all)):
        for name in sorted(removed):
            message = f"the tool no longer {key} to {name}"
            yield tool.change("SIDE_EFFECT_REMOVED", message, "effects", key, detail=name)
    for name in sorted((new.adds & old.all) - old.adds):
        message = f"the tool now only adds to {name}; hosts may cease to ask before a call"
        yield tool.change("SIDE_EFFECT_NARROWED", message, "effects", "adds", detail=name)
    for name in sorted((old.adds & new.all) - new.adds):
        message = f"the tool may now change or remove what is in {name}; before, it only added"
        yield tool.change("SIDE_EFFECT_WIDENED", message, "effects", "adds", detail=name)
    yield from _read_changes(tool)
    yield from _world_changes(tool)


def _elsewhere_changes(tool: ContractPair, old: Elsewhere, new: Elsewhere) -> Iterator[Change]:
    """Yield the change of a call's effects beyond its sources."""
    if old == new:
        return
    before, after = _FORCE[old], _FORCE[new]
    if before == after:
        rule = "READS_CHANGED"
    elif after > before:
        rule = "SIDE_EFFECT_WIDENED" if before else "SIDE_EFFECT_ADDED"
    else:
        rule = "SIDE_EFFECT_NARROWED" if after else "SIDE_EFFECT_REMOVED"
    yield tool.change(
        rule, f"what the tool does beyond its sources: {_DEEDS[new]}; before: {_DEEDS[old]}", "effects", "elsewhere"
    )


def _world_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield the change of the hint that a tool uses web services."""
    was_open, is_open = (
        _is_open(side, contract) for side, contract in zip((tool.old, tool.new), tool.around.contracts, strict=True)
    )
    if is_open and not was_open:
        message = "hosts now read openWorldHint: true"
        yield tool.change("OPEN_WORLD_ENTERED", message, "effects", detail="open")
    elif was_open and not is_open:
        yield tool.change("OPEN_WORLD_LEFT", "hosts now read openWorldHint: false", "effects", detail="open")


def _is_open(tool: ContractValue, contract: Mapping[str, Any]) -> bool:
    """Return True if a tool reads or changes a web service, as `tools/list` says."""
    sources, effects = as_object(contract.get("sources")), _read_effects(tool, contract)
    names = [*map(str, as_array(tool.at("effects", "reads").value)), *effects.all]
    return effects.elsewhere != "nothing" or any(as_object(sources.get(name)).get("kind") == "http" for name in names)


def _read_effects(tool: ContractValue, contract: Mapping[str, Any]) -> _Effects:
    """Return the sources that a tool of any shape changes."""
    events = as_object(contract.get("events"))
    adds, writes, published = (map(str, as_array(tool.at("effects", key).value)) for key in CHANGING)
    return _Effects(
        writes=frozenset(writes),
        adds=frozenset(adds),
        carriers=frozenset(str(as_object(events.get(name)).get("source")) for name in published),
        elsewhere=find_elsewhere(as_object(tool.at("effects").value)),
    )


def _read_changes(tool: ContractPair) -> Iterator[Change]:
    """Yield the change of the sources that a call reads."""
    old, new = (list(map(str, as_array(names))) for names in tool.values("effects", "reads"))
    if set(old) != set(new):
        message = f"the tool reads {', '.join(new) or 'nothing'} instead of {', '.join(old) or 'nothing'}"
        yield tool.change("READS_CHANGED", message, "effects", "reads")
