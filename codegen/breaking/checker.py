"""Check the changes between two states of a contracts folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from codegen.breaking.catalog import RULES
from codegen.breaking.findings import Finding, find_changes
from codegen.breaking.rule import Level, Profile
from codegen.breaking.version_bumps import VersionChange, version_changes, version_findings
from codegen.diagnostics import Problem
from codegen.loading.suppressions import Key, Suppression, active_suppressions, check_stale
from codegen.snapshots import Snapshot

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

    @property
    def fails(self) -> bool:
        """True if there are breaking findings without a suppression, or stale suppressions."""
        return bool(self.problems) or any(finding.fails for finding in self.findings)


def check_changes(old: Snapshot, new: Snapshot, profile: Profile, today: date | None = None) -> CheckResult:
    """Compare two states of a contracts folder.

    *today* decides which versions are past their sunset. Without it, none is.
    """
    found = list(find_changes(old, new, profile, today))
    versions = tuple(version_changes(old, new, found))
    found += version_findings(versions, profile)
    suppressions = dict(_suppressions_by_finding(old, new))
    with_suppressions = [
        replace(each, suppression=suppressions.get((each.contract, (each.rule.id, each.fingerprint)))) for each in found
    ]
    return CheckResult(
        against=old.name,
        profile=profile,
        findings=tuple(sorted(with_suppressions, key=_sort_key)),
        version_changes=versions,
        problems=tuple(sorted(_stale_suppressions(old, new, found))),
    )


def _sort_key(finding: Finding) -> tuple[object, ...]:
    """Order findings. Those about versions follow from the others."""
    return LEVEL_ORDER[finding.level], finding.is_about_versions, finding.position, finding.rule.id, finding.subject


def _suppressions_by_finding(old: Snapshot, new: Snapshot) -> Iterator[tuple[tuple[str, Key], Suppression]]:
    """Yield the active suppressions by contract, rule and fingerprint."""
    for contract, document in new.accepted.items():
        for _, suppression in active_suppressions(document, old.accepted.get(contract), RULES):
            yield (contract, suppression.key), suppression


def _stale_suppressions(old: Snapshot, new: Snapshot, findings: Sequence[Finding]) -> Iterator[Problem]:
    """Yield the active suppressions that match no finding."""
    for contract, document in new.accepted.items():
        keys = {(each.rule.id, each.fingerprint) for each in findings if each.contract == contract}
        yield from check_stale(document, active_suppressions(document, old.accepted.get(contract), RULES), keys)
