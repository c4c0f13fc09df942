"""Compare the growth of version numbers with the growth that the changes require."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from toolaccord.semantics.versions import Version, find_answering, parse_version
from toolaccord_codegen.breaking.catalog import RULES
from toolaccord_codegen.breaking.compare.tools.older_versions import is_past
from toolaccord_codegen.breaking.findings import Finding
from toolaccord_codegen.breaking.rule import Bump, Profile
from toolaccord_codegen.loading.schema_nodes import ContractValue, Place
from toolaccord_codegen.reporting.model import short_hash
from toolaccord_codegen.snapshots import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionChange:
    """The version of a server or a tool in both states, and the required growth."""

    contract: str
    tool: str | None
    old: Place
    new: Place
    required: Bump
    is_answered: bool = True
    """True if callers of a tool's old version are answered; True for servers."""

    @property
    def before(self) -> Version:
        """The old version, zeros if it is malformed."""
        return parse_version(self.old.value) or (0, 0, 0)

    @property
    def after(self) -> Version:
        """The new version, zeros if it is malformed."""
        return parse_version(self.new.value) or (0, 0, 0)

    @property
    def minimum(self) -> Version:
        """The lowest version that satisfies the required growth."""
        major, minor, patch = self.before
        grown = {
            Bump.MAJOR: (major + 1, 0, 0),
            Bump.MINOR: (major, minor + 1, 0),
            Bump.PATCH: (major, minor, patch + 1),
        }
        return grown.get(_effective_bump(self.required, self.before), self.before)

    @property
    def actual(self) -> Bump:
        """The part of the version that changed."""
        pairs = zip(self.before, self.after, (Bump.MAJOR, Bump.MINOR, Bump.PATCH), strict=True)
        return next((bump for old, new, bump in pairs if old != new), Bump.NONE)


def format_version(version: Version) -> str:
    """Return a version as text."""
    return ".".join(map(str, version))


def version_changes(
    old: Snapshot, new: Snapshot, found: Sequence[Finding], today: date | None = None
) -> Iterator[VersionChange]:
    """Yield the versions of every server, agent and tool that both states have.

    Accepting a finding does not lower the required growth.
    """
    found_in: defaultdict[str, list[Finding]] = defaultdict(list)
    for each in found:
        found_in[each.contract].append(each)
    for name in [name for name in old.contracts if name in new.contracts]:
        before, after = old.contract(name), new.contract(name)
        kind = "agent" if new.contracts[name].is_agent else "server"
        new_tools = after.listed_by("tools", "name")
        pairs: dict[str | None, tuple[ContractValue, ContractValue]] = {None: (before.at(kind), after.at(kind))}
        pairs |= {
            tool: (value, new_tools[tool])
            for tool, value in before.listed_by("tools", "name").items()
            if tool in new_tools
        }
        for tool, (was, now) in pairs.items():
            bumps = [each.bump for each in found_in[name] if tool in {None, each.tool}]
            yield VersionChange(
                contract=name,
                tool=tool,
                old=was.place.at("version"),
                new=now.place.at("version"),
                required=max(bumps, default=Bump.NONE),
                is_answered=tool is None or _is_answered(was, now, today),
            )


def _is_answered(was: ContractValue, now: ContractValue, today: date | None) -> bool:
    """Return True if a tool answers callers of its old version, or if that is malformed."""
    named = was.at("version").value
    older = now.listed_by("versions", "version")
    offered = [now.at("version").value, *(name for name, each in older.items() if not is_past(each, today))]
    return parse_version(named) is None or find_answering(named, offered) is not None


def version_findings(changes: Sequence[VersionChange], profile: Profile) -> Iterator[Finding]:
    """Yield a finding for every version that does not match its changes."""
    for change in changes:
        rule_id = _violated_rule(change)
        if rule_id:
            rule = RULES[rule_id]
            yield Finding(
                rule=rule,
                level=rule.impact(profile, None, "").level,
                bump=change.required,
                contract=change.contract,
                tool=change.tool,
                direction=None,
                old=change.old,
                new=change.new,
                message=_message(rule_id, change),
                cure=rule.cure,
                witness=None,
                fingerprint=short_hash(rule_id, change.contract, change.tool, change.before, change.after),
            )


def _effective_bump(required: Bump, version: Version) -> Bump:
    """Lower a required bump below 1.0.0, where minor stands for major and patch for minor."""
    return Bump(required - 1) if required > Bump.PATCH and not version[0] else required


def _violated_rule(change: VersionChange) -> str | None:
    """Return the rule that a version violates, or None.

    An additional patch is always allowed, because code changes too.
    """
    before, after, required = change.before, change.after, _effective_bump(change.required, change.before)
    if after < before:
        return "VERSION_DECREASED"
    if change.actual < required:
        return "VERSION_TOO_SMALL" if change.actual else "VERSION_NOT_BUMPED"
    if change.required < Bump.MAJOR and not change.is_answered:
        return "VERSION_RANGE_LEFT"
    is_first_release = before[0] == 0 and after[0] > 0
    return "VERSION_TOO_LARGE" if change.actual > max(required, Bump.PATCH) and not is_first_release else None


def _message(rule_id: str, change: VersionChange) -> str:
    """Return the message of a wrong version."""
    if rule_id == "VERSION_RANGE_LEFT":
        before, after = format_version(change.before), format_version(change.after)
        return f"callers that name {before}, such as generated clients, are rejected: {after} is in another range"
    versions = f"the version was {format_version(change.before)} and is {format_version(change.after)}"
    if change.after == change.before:
        versions = f"the version is still {format_version(change.before)}"
    if not change.required:
        return f"{versions}; no change needs more than a patch"
    zero = "" if change.before[0] else " (below 1.0.0, minor stands for major and patch for minor)"
    return f"{versions}; the {change.required} changes need {format_version(change.minimum)}{zero}"
