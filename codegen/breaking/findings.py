"""Findings: changes judged, with what their authors need to see, to mend and to accept them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import Any

from codegen.breaking.catalog import RULES
from codegen.breaking.changes import Change
from codegen.breaking.compare.servers import folder_changes
from codegen.breaking.rule import Bump, Direction, Level, Profile, Rule
from codegen.breaking.witnesses import Witness, witness
from codegen.loading.schema_nodes import Place, Position
from codegen.loading.suppressions import Suppression
from codegen.reporting.model import short_hash
from codegen.snapshots import Snapshot

ONLY_WITH_WITNESS = frozenset({"SCHEMA_NARROWED", "SCHEMA_WIDENED"})
"""Rules whose changes are not known to be any before a value shows them."""
TELL = "tell those who name no version what is asked of them: they are answered in the newest"
"""What is left to do about a break when the version before is answered still."""
AFTERWARDS = {"OLDER_VERSION_REMOVED": "OLDER_VERSION_ENDED"}
"""What a change is once nothing is promised any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A change, how grave it is, and a value that shows it."""

    rule: Rule
    level: Level
    bump: Bump
    contract: str
    """The path of the contract in its folder."""
    tool: str | None
    direction: Direction | None
    old: Place | None
    new: Place | None
    message: str
    cure: str
    witness: Witness | None
    fingerprint: str
    accepted: Suppression | None = None

    @property
    def fails(self) -> bool:
        """Whether it keeps the judge from being content."""
        return self.level is Level.BREAKING and self.accepted is None

    @property
    def is_about_versions(self) -> bool:
        """Whether it says what a version should be, and nothing of what changed."""
        return self.rule.id.startswith("VERSION_")

    @property
    def place(self) -> Position:
        """Where its author looks first: the new side, else the old one."""
        place = self.new or self.old
        return place.position if place else Position(self.contract, 1, 1)

    @property
    def whose(self) -> str:
        """The tool, else the server, in a word."""
        return self.tool or PurePosixPath(self.contract).stem

    def as_json(self) -> dict[str, Any]:
        """The finding as other programs read it."""
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
            "witness": self.witness.as_json() if self.witness else None,
            "fingerprint": self.fingerprint,
            "accepted": self.accepted.reason if self.accepted else None,
        }


def findings(old: Snapshot, new: Snapshot, profile: Profile, today: date | None) -> Iterator[Finding]:
    """Every change between two states of a contracts folder, judged; versions are not. Without a day, none has passed."""
    for contract, change in folder_changes(old, new):
        rule = RULES[AFTERWARDS.get(change.rule, change.rule) if is_over(change, today) else change.rule]
        level, bump = rule.verdict(profile, change.direction, change.circumstance)
        softened = bool(change.served) and level is Level.BREAKING
        level = Level.WARNING if softened else level
        needs_one = rule.id in ONLY_WITH_WITNESS
        shows = change.difference is not None and (needs_one or level is not Level.INFO)
        value = witness(change.difference) if shows and change.difference else None
        if change.shown_by is not None:
            value = Witness(change.shown_by, lost=True)
        if value or not needs_one:
            yield Finding(
                rule=rule,
                level=level,
                bump=bump,
                contract=contract,
                tool=change.tool,
                direction=change.direction,
                old=change.old,
                new=change.new,
                message=message(change),
                cure=TELL if softened else rule.cure,
                witness=value,
                fingerprint=fingerprint(contract, change),
            )


def is_over(change: Change, today: date | None) -> bool:
    """Whether the last day has passed for which something was promised."""
    return today is not None and change.until is not None and change.until < today


def message(change: Change) -> str:
    """What changed, and who is served still."""
    return f"{change.message}; callers who name {change.served} are served still" if change.served else change.message


def fingerprint(contract: str, change: Change) -> str:
    """Twelve digits that stay the same until the change becomes another one; wording and positions do not matter."""
    way = change.direction.value if change.direction else None
    values = [plain_value(change.old), plain_value(change.new)]
    return short_hash(change.rule, contract, change.tool, way, change.subject, *values)


def plain_value(place: Place | None) -> Any:
    """What stands at a place, unless it is an array or object, in which other things may change."""
    value = place.value if place and not place.key else None
    return None if isinstance(value, dict | list) else value
