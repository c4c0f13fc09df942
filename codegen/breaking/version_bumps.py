"""Versions: how much each has to grow for what changed, against how much it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from codegen.breaking.catalog import RULES
from codegen.breaking.compare.servers import side, tools
from codegen.breaking.findings import Finding
from codegen.breaking.rule import Bump, Profile
from codegen.loading.schema_nodes import Place
from codegen.reporting.model import short_hash
from codegen.snapshots import Snapshot

Version = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """The version of a server or a tool, old and new, and what the changes ask for."""

    contract: str
    tool: str | None
    old: Place
    new: Place
    needs: Bump

    @property
    def before(self) -> Version:
        """The old version."""
        return parsed(self.old.value)

    @property
    def after(self) -> Version:
        """The new version."""
        return parsed(self.new.value)

    @property
    def least(self) -> Version:
        """The lowest version that would do."""
        major, minor, patch = self.before
        needs = played(self.needs, self.before)
        grown = {
            Bump.MAJOR: (major + 1, 0, 0),
            Bump.MINOR: (major, minor + 1, 0),
            Bump.PATCH: (major, minor, patch + 1),
        }
        return grown.get(needs, self.before)

    @property
    def grew(self) -> Bump:
        """The part of the version that grew."""
        pairs = zip(self.before, self.after, (Bump.MAJOR, Bump.MINOR, Bump.PATCH), strict=True)
        return next((bump for old, new, bump in pairs if old != new), Bump.NONE)


def parsed(version: Any) -> Version:
    """The numbers of a version; zeros where there is none."""
    numbers = [int(part) for part in str(version).split(".") if part.isdigit()]
    return (numbers[0], numbers[1], numbers[2]) if len(numbers) == 3 else (0, 0, 0)


def shown(version: Version) -> str:
    """A version as it is written."""
    return ".".join(map(str, version))


def played(needs: Bump, version: Version) -> Bump:
    """What a change asks of a version: below 1.0.0, minor plays major and patch plays minor."""
    return Bump(needs - 1) if needs > Bump.PATCH and not version[0] else needs


def growths(old: Snapshot, new: Snapshot, found: Sequence[Finding]) -> Iterator[Growth]:
    """Every server and tool that both states have."""
    for name in (name for name in old.contracts if name in new.contracts):
        before, after = side(old, name), side(new, name)
        own = [finding for finding in found if finding.contract == name]
        places = {"old": before.place.at("server", "version"), "new": after.place.at("server", "version")}
        yield Growth(contract=name, tool=None, needs=needed(own), **places)
        known = tools(after)
        for tool, part in tools(before).items():
            if tool in known:
                needs = needed([finding for finding in own if finding.tool == tool])
                places = {"old": part.place.at("version"), "new": known[tool].place.at("version")}
                yield Growth(contract=name, tool=tool, needs=needs, **places)


def needed(found: Sequence[Finding]) -> Bump:
    """What the gravest of some findings asks for, accepted or not: that a break is meant makes it no smaller."""
    return max((finding.bump for finding in found), default=Bump.NONE)


def version_findings(grown: Sequence[Growth], profile: Profile) -> Iterator[Finding]:
    """Versions that do not say what changed."""
    for growth in grown:
        fault = version_fault(growth)
        if fault:
            rule = RULES[fault]
            yield Finding(
                rule=rule,
                level=rule.verdict(profile, None, "").level,
                bump=growth.needs,
                contract=growth.contract,
                tool=growth.tool,
                direction=None,
                old=growth.old,
                new=growth.new,
                message=version_message(growth),
                cure=rule.cure,
                witness=None,
                fingerprint=short_hash(fault, growth.contract, growth.tool, growth.before, growth.after),
            )


def version_fault(growth: Growth) -> str | None:
    """The rule that a version breaks; None where it is right. A higher patch is never wrong: code changes too."""
    before, after, needs = growth.before, growth.after, played(growth.needs, growth.before)
    if after < before:
        return "VERSION_DECREASED"
    if growth.grew < needs:
        return "VERSION_TOO_SMALL" if growth.grew else "VERSION_NOT_BUMPED"
    leaves_zero = before[0] == 0 and after[0] > 0
    return "VERSION_TOO_LARGE" if growth.grew > max(needs, Bump.PATCH) and not leaves_zero else None


def version_message(growth: Growth) -> str:
    """What a version should be."""
    was = f"the version was {shown(growth.before)} and is {shown(growth.after)}"
    if growth.after == growth.before:
        was = f"the version is {shown(growth.before)} still"
    if not growth.needs:
        return f"{was}; no change needs more than a patch"
    zero = "" if growth.before[0] else " (below 1.0.0, minor stands for major and patch for minor)"
    return f"{was}; the changes are {growth.needs} and need {shown(growth.least)}{zero}"
