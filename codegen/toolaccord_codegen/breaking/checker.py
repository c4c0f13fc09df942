"""Check the changes between two states of a contracts folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from toolaccord_codegen.breaking.catalog import RULES
from toolaccord_codegen.breaking.findings import Finding, find_changes
from toolaccord_codegen.breaking.rule import Level, Profile
from toolaccord_codegen.breaking.version_bumps import VersionChange, version_changes, version_findings
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.suppressions import Key, Suppression, active_suppressions, check_stale
from toolaccord_codegen.snapshots import Snapshot

LEVEL_ORDER = {Level.BREAKING: 0, Level.WARNING: 1, Level.INFO: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The outcome of checking changes."""

    against: str
    profile: Profile
    findings: tuple[Finding, ...]
    """Ordered by level, then by position. Findings about versions come last in their level."""
    version_changes: tuple[VersionChange, ...]
    problems: tuple[Problem, ...]
    """Suppressions that match no finding."""
    not_compared: int | None = None
    """Parts of two servers' lists that contracts cannot have; None for contracts."""

    @property
    def fails(self) -> bool:
        """True if there are breaking findings without a suppression, or stale suppressions."""
        return bool(self.problems) or any(finding.fails for finding in self.findings)


def check_changes(old: Snapshot, new: Snapshot, profile: Profile, today: date | None = None) -> CheckResult:
    """Compare two states of a contracts folder.

    *today* decides which versions are past their sunset. Without it, none is.
    """
    found = list(find_changes(old, new, profile, today))
    versions = tuple(version_changes(old, new, found, today))
    return conclude(old, new, profile, [*found, *version_findings(versions, profile)], versions)


def conclude(
    old: Snapshot,
    new: Snapshot,
    profile: Profile,
    found: Sequence[Finding],
    versions: tuple[VersionChange, ...] = (),
    not_compared: int | None = None,
) -> CheckResult:
    """Return findings with their suppressions, in order."""
    suppressions: dict[tuple[str, Key], Suppression] = {}
    stale: list[Problem] = []
    for contract, document in new.accepted.items():
        active = active_suppressions(document, old.accepted.get(contract), RULES)
        suppressions |= {(contract, suppression.key): suppression for _, suppression in active}
        stale += check_stale(document, active, {each.key for each in found if each.contract == contract})
    with_suppressions = [replace(each, suppression=suppressions.get((each.contract, each.key))) for each in found]
    return CheckResult(
        against=old.name,
        profile=profile,
        findings=tuple(sorted(with_suppressions, key=_sort_key)),
        version_changes=versions,
        problems=tuple(sorted(stale)),
        not_compared=not_compared,
    )


def _sort_key(finding: Finding) -> tuple[object, ...]:
    """Order findings. Those about versions follow from the others."""
    return LEVEL_ORDER[finding.level], finding.is_about_versions, finding.position, finding.rule.id, finding.subject
