"""Check the changes between two states of a contracts folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from toolaccord.contract.accepted import AcceptedFinding
from toolaccord_codegen.breaking.catalog import RULES
from toolaccord_codegen.breaking.findings import Finding, find_changes
from toolaccord_codegen.breaking.rule import Level, Profile
from toolaccord_codegen.breaking.version_bumps import VersionChange, version_changes, version_findings
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.accepted_findings import Key, accepted_since, check_stale, key_of
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
    """Entries of accepted findings that match none."""
    not_compared: int | None = None
    """Parts of two servers' lists that contracts cannot have; None for contracts."""

    @property
    def fails(self) -> bool:
        """True if there are breaking findings that are not accepted, or stale entries."""
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
    """Return findings with the entries that accept them, in order."""
    accepted: dict[tuple[str, Key], AcceptedFinding] = {}
    stale: list[Problem] = []
    for contract, document in new.accepted.items():
        active = accepted_since(document, old.accepted.get(contract), RULES)
        accepted |= {(contract, key_of(entry)): entry for _, entry in active}
        stale += check_stale(document, active, {each.key for each in found if each.contract == contract})
    judged = [replace(each, accepted=accepted.get((each.contract, each.key))) for each in found]
    return CheckResult(
        against=old.name,
        profile=profile,
        findings=tuple(sorted(judged, key=_sort_key)),
        version_changes=versions,
        problems=tuple(sorted(stale)),
        not_compared=not_compared,
    )


def _sort_key(finding: Finding) -> tuple[object, ...]:
    """Order findings. Those about versions follow from the others."""
    return LEVEL_ORDER[finding.level], finding.is_about_versions, finding.position, finding.rule.id, finding.subject
