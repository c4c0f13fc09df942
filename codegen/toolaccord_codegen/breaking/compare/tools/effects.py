"""Compare the sources that a call uses, and what it does to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolaccord.contract.server_contracts import ServerContract
from toolaccord.contract.tools import Tool
from toolaccord.semantics.effects import Elsewhere, is_open_world
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.contract_pair import ContractPair
from toolaccord_codegen.ir.tool import find_effects_elsewhere

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

    reads: frozenset[str]
    writes: frozenset[str]
    adds: frozenset[str]
    carriers: frozenset[str]
    """Sources of its events."""
    elsewhere: Elsewhere
    """Effects beyond these sources."""
    is_open: bool
    """True if it reaches services of others, as `tools/list` says."""

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
    tools = tool.records(Tool)
    old, new = (_read_effects(*each) for each in zip(tools, tool.around.contracts, strict=True))
    yield from _elsewhere_changes(tool, old.elsewhere, new.elsewhere)
    if old.elsewhere == "unknown":  # hosts and users consented to anything
        return
    yield from _source_changes(tool, old, new)
    if old.reads != new.reads:
        before, after = (", ".join(each.effects.reads) or "nothing" for each in tools)
        yield tool.change("READS_CHANGED", f"the tool reads {after} instead of {before}", "effects", "reads")
    yield from _world_changes(tool, old, new)


def _source_changes(tool: ContractPair, old: _Effects, new: _Effects) -> Iterator[Change]:
    """Yield the sources that a tool begins or ceases to change, or changes in another form."""
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


def _world_changes(tool: ContractPair, old: _Effects, new: _Effects) -> Iterator[Change]:
    """Yield the change of the hint that a tool reaches services of others."""
    if old.is_open is not new.is_open:
        rule = "OPEN_WORLD_ENTERED" if new.is_open else "OPEN_WORLD_LEFT"
        message = f"hosts now read openWorldHint: {str(new.is_open).lower()}"
        yield tool.change(rule, message, "effects", detail="open")


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


def _read_effects(tool: Tool, contract: ServerContract) -> _Effects:
    """Return the sources that a tool changes."""
    effects, elsewhere = tool.effects, find_effects_elsewhere(tool.effects)
    carriers = {event.source for event in contract.events if event.name in effects.publishes}
    named = {*effects.reads, *effects.adds, *effects.writes, *carriers}
    return _Effects(
        reads=frozenset(effects.reads),
        writes=frozenset(effects.writes),
        adds=frozenset(effects.adds),
        carriers=frozenset(carriers),
        elsewhere=elsewhere,
        is_open=is_open_world(named, elsewhere, {each.name: each.kind for each in contract.sources}),
    )
