"""Findings: changes with their level, cure, witness and fingerprint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import Any

from toolaccord.contract.accepted import AcceptedFinding
from toolaccord_codegen.breaking.affected_agents import broken_agents, is_certain, list_uses, range_changes
from toolaccord_codegen.breaking.catalog import RULES
from toolaccord_codegen.breaking.changes import Change
from toolaccord_codegen.breaking.compare.servers import folder_changes
from toolaccord_codegen.breaking.rule import Bump, Direction, Level, Profile, Rule
from toolaccord_codegen.breaking.schema_catalog import TAKE_BACK
from toolaccord_codegen.breaking.witnesses import Witness, find_witness
from toolaccord_codegen.diagnostics import Position
from toolaccord_codegen.loading.accepted_findings import Key
from toolaccord_codegen.loading.schema_nodes import Place
from toolaccord_codegen.reporting.model import short_hash
from toolaccord_codegen.snapshots import Snapshot

NO_KEYWORD = frozenset({"SCHEMA_NARROWED", "SCHEMA_WIDENED"})
"""Rules of changes that no keyword explains, so that a value has to."""
UNPROVED = "no value that shows it is known, and it could not be proved harmless"
"""The end of the message of a change between two schemas that nothing decides."""
ANNOUNCE = "announce the change: callers who name no version get the newest one"
"""The cure of a break whose previous version is still answered."""
OPERATORS = "revert the change, or announce it to operators and accept this"
TAKE_BACK_OTHERS = {
    "setting": OPERATORS,
    "source": OPERATORS,
    "agent": "revert the change, or give the agent a new major version",
    "server": "revert the change, or give the server a new major version",
}
"""Advice in place of TAKE_BACK for changes outside of tools."""
AFTER_SUNSET = {"OLDER_VERSION_REMOVED": "OLDER_VERSION_ENDED"}
"""Rules that replace others once a version is past its sunset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A change with its level, its cure and a value that shows it."""

    rule: Rule
    level: Level
    bump: Bump
    contract: str
    """The path of the contract, relative to the contracts folder."""
    tool: str | None
    direction: Direction | None
    old: Place | None
    new: Place | None
    message: str
    cure: str | None
    """None for harmless changes."""
    witness: Witness | None
    fingerprint: str
    agents: tuple[str, ...] = ()
    """Names of the agents that it breaks."""
    accepted: AcceptedFinding | None = None

    @property
    def fails(self) -> bool:
        """True if it is breaking and not accepted."""
        return self.level is Level.BREAKING and self.accepted is None

    @property
    def key(self) -> Key:
        """Return the facts that it shares with the entry that accepts it."""
        return self.rule.id, self.fingerprint

    @property
    def is_about_versions(self) -> bool:
        """True if it reports a wrong version number instead of a change."""
        return self.rule.id.startswith("VERSION_")

    @property
    def position(self) -> Position:
        """The position on the new side, else on the old one."""
        place = self.new or self.old
        return place.position if place else Position(self.contract, 1, 1)

    @property
    def subject(self) -> str:
        """The name of the tool, else of the server."""
        return self.tool or PurePosixPath(self.contract).stem

    def as_json(self) -> dict[str, Any]:
        """Return the finding for JSON output."""
        return {
            "rule": self.rule.id,
            "level": self.level.value,
            "bump": str(self.bump),
            "contract": self.contract,
            "tool": self.tool,
            "direction": self.direction.value if self.direction else None,
            "old": self.old.position._asdict() if self.old else None,
            "new": self.new.position._asdict() if self.new else None,
            "message": self.message,
            "cure": self.cure,
            "agents": list(self.agents),
            "witness": self.witness.as_json() if self.witness else None,
            "fingerprint": self.fingerprint,
            "accepted": self.accepted.reason if self.accepted else None,
        }


def find_changes(old: Snapshot, new: Snapshot, profile: Profile, today: date | None) -> Iterator[Finding]:
    """Yield a finding for every change between two states, except for version numbers.

    *today* decides which versions are past their sunset. Without it, none is.
    """
    uses = list_uses(old, new)
    for contract, change in (*folder_changes(old, new, today), *range_changes(old, new)):
        is_past_sunset = today is not None and change.promised_until is not None and change.promised_until < today
        rule = RULES[AFTER_SUNSET.get(change.rule, change.rule) if is_past_sunset else change.rule]
        level, bump = rule.impact(profile, change.direction, change.circumstance)
        is_softened = bool(change.kept_version) and level is Level.BREAKING
        level = Level.WARNING if is_softened else level
        unaffected = f"; callers who name {change.kept_version} are not affected" if change.kept_version else ""
        agents = broken_agents(change, uses.get(contract, [])) if level is Level.BREAKING else []
        witness, unproved = _show(change, level)
        yield Finding(
            rule=rule,
            level=level,
            bump=bump,
            contract=contract,
            tool=change.tool,
            direction=change.direction,
            old=change.old,
            new=change.new,
            message=change.message + unproved + unaffected + _describe_agents(change, agents),
            cure=_cure(rule, level, change, is_softened=is_softened, is_agent=new.is_agent(contract)),
            witness=witness,
            fingerprint=_fingerprint(contract, change),
            agents=tuple(agents),
        )


def _cure(rule: Rule, level: Level, change: Change, *, is_softened: bool, is_agent: bool) -> str | None:
    """Return the advice to the author of a change, for what changed. A harmless one needs none."""
    if level is Level.INFO:
        return None
    if change.tool is not None:
        return ANNOUNCE if is_softened else rule.cure
    kind = "agent" if is_agent else change.subject.partition(" ")[0]
    return rule.cure.replace(TAKE_BACK, TAKE_BACK_OTHERS.get(kind, TAKE_BACK_OTHERS["server"]))


def _describe_agents(change: Change, agents: list[str]) -> str:
    """Return the end of a message that names the broken agents. Empty without any."""
    verb = "breaks" if is_certain(change) else "may break"
    noun = "the agent" if len(agents) == 1 else "the agents"
    return f"; this {verb} {noun} {', '.join(agents)}" if agents else ""


def _show(change: Change, level: Level) -> tuple[Witness | None, str]:
    """Return a value that shows a change, or None with the end of a message that says so.

    Harmless changes get a value only if no keyword explains them.
    """
    if change.lost_value is not None:
        return Witness(change.lost_value, is_loss=True), ""
    if change.difference is None or (level is Level.INFO and change.rule not in NO_KEYWORD):
        return None, ""
    witness = find_witness(change.difference)
    is_unproved = witness is None and not change.rule.startswith("FIELD_")  # readers notice a member without a proof
    return witness, f"; {UNPROVED}" if is_unproved else ""


def _fingerprint(contract: str, change: Change) -> str:
    """Return twelve hexadecimal digits that do not depend on wording or position."""
    direction = change.direction.value if change.direction else None
    values = [_scalar_at(change.old), _scalar_at(change.new)]
    return short_hash(change.rule, contract, change.tool, direction, change.subject, *values)


def _scalar_at(place: Place | None) -> Any:
    """Return the value at a place unless it is an array or object.

    Parts of an array or object may change independently.
    """
    value = place.value if place and not place.key else None
    return None if isinstance(value, dict | list) else value
