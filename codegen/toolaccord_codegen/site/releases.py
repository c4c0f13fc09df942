"""Changes between releases, by the contract and tool that they are about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolaccord_codegen.breaking.checker import CheckResult
from toolaccord_codegen.breaking.report import build_report
from toolaccord_codegen.breaking.version_bumps import format_version
from toolaccord_codegen.reporting.model import ReportedFinding

WORDS = {"breaking": "breaking", "warning": "changed", "info": "compatible"}
"""Words for readers, by the word of a report."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a contract."""

    contract: str
    tool: str | None
    word: str
    finding: ReportedFinding


@dataclass(frozen=True, slots=True)
class Release:
    """The changes between two states of the contracts."""

    before: str
    after: str
    changes: tuple[Change, ...]
    versions: dict[tuple[str, str | None], str]
    """Old and new version by contract and tool, where they differ."""

    @property
    def title(self) -> str:
        """Return its heading."""
        return f"From {self.before} to {self.after}"

    def about(self, contract: str, *tools: str | None) -> list[Change]:
        """Return the changes of a contract that are about one of these tools; None is the server."""
        return [each for each in self.changes if each.contract == contract and each.tool in tools]

    def by_contract(self) -> dict[str, list[Change]]:
        """Return the changes by contract."""
        found: dict[str, list[Change]] = {}
        for each in sorted(self.changes, key=lambda each: each.contract):
            found.setdefault(each.contract, []).append(each)
        return found


def read_release(result: CheckResult, after: str) -> Release:
    """Return the changes of a comparison; findings about version numbers are for authors."""
    reported = zip(result.findings, build_report(result).findings, strict=True)
    changes = (
        Change(found.contract, found.tool, WORDS[shown.label], shown)
        for found, shown in reported
        if not found.is_about_versions
    )
    grown = {
        (each.contract, each.tool): f"{format_version(each.before)} → {format_version(each.after)}"
        for each in result.version_changes
        if each.before != each.after
    }
    return Release(result.against, after, tuple(changes), grown)


def select_releases(
    releases: Sequence[Release], contract: str, *tools: str | None
) -> Iterator[tuple[Release, list[Change]]]:
    """Select the releases that changed a contract, the newest first."""
    for release in reversed(releases):
        if found := release.about(contract, *tools):
            yield release, found
