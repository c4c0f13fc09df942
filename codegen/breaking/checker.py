"""The whole judgement of two states of a contracts folder: findings, versions, and what is accepted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from codegen.breaking.catalog import RULES
from codegen.breaking.findings import Finding, findings
from codegen.breaking.rule import Level, Profile
from codegen.breaking.version_bumps import Growth, growths, version_findings
from codegen.diagnostics import Problem
from codegen.loading.suppressions import Key, Suppression, active_suppressions, check_stale
from codegen.snapshots import Snapshot

GRAVITY = {Level.BREAKING: 0, Level.WARNING: 1, Level.INFO: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What came out."""

    against: str
    profile: Profile
    findings: tuple[Finding, ...]
    """By gravity, then by place; versions come last."""
    growths: tuple[Growth, ...]
    problems: tuple[Problem, ...]
    """Entries that accept nothing."""

    @property
    def fails(self) -> bool:
        """Whether something has to be mended or accepted."""
        return bool(self.problems) or any(finding.fails for finding in self.findings)


def judged(old: Snapshot, new: Snapshot, profile: Profile, today: date | None = None) -> Judgement:
    """Compare two states of a contracts folder, on a day by which promises may have run out."""
    found = list(findings(old, new, profile, today))
    grown = tuple(growths(old, new, found))
    found += version_findings(grown, profile)
    accepted = dict(acceptances(old, new))
    keys = {(finding.contract, finding.rule.id, finding.fingerprint) for finding in found}
    problems = [
        problem
        for contract, document in new.accepted.items()
        for problem in check_stale(
            document,
            active_suppressions(document, old.accepted.get(contract), RULES),
            {(rule, fingerprint) for room, rule, fingerprint in keys if room == contract},
        )
    ]
    marked = [replace(each, accepted=accepted.get((each.contract, (each.rule.id, each.fingerprint)))) for each in found]
    return Judgement(
        against=old.name,
        profile=profile,
        findings=tuple(sorted(marked, key=order)),
        growths=grown,
        problems=tuple(sorted(problems)),
    )


def order(finding: Finding) -> tuple[object, ...]:
    """What findings are sorted by; what a version should be follows from the others."""
    return GRAVITY[finding.level], finding.is_about_versions, finding.place, finding.rule.id, finding.whose


def acceptances(old: Snapshot, new: Snapshot) -> Iterator[tuple[tuple[str, Key], Suppression]]:
    """What is accepted now, by contract, rule and fingerprint."""
    for contract, document in new.accepted.items():
        for _, entry in active_suppressions(document, old.accepted.get(contract), RULES):
            yield (contract, entry.key), entry
