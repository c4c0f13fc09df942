"""Format the entry of a changelog."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from toolaccord_codegen.breaking.checker import CheckResult
from toolaccord_codegen.breaking.findings import Finding
from toolaccord_codegen.breaking.rule import Level
from toolaccord_codegen.breaking.version_bumps import VersionChange, format_version
from toolaccord_codegen.diagnostics import escape_unprintable
from toolaccord_codegen.reporting.markdown import escape_cell

TITLES = {Level.BREAKING: "Breaking", Level.WARNING: "Changed", Level.INFO: "Compatible"}


def format_changelog(result: CheckResult) -> str:
    """Return the changes as Markdown with one heading per server. Empty without changes."""
    found = [finding for finding in result.findings if not finding.is_about_versions]
    contracts = sorted({finding.contract for finding in found})
    lines = (line for name in contracts for line in _server_lines(name, found, result))
    return "\n".join(map(escape_unprintable, lines))


def _server_lines(contract: str, found: list[Finding], result: CheckResult) -> Iterator[str]:
    """Yield the lines about one server."""
    versions = {change.tool: change for change in result.version_changes if change.contract == contract}
    yield f"### {PurePosixPath(contract).with_suffix('')}{_version_range(versions.get(None))}"
    yield ""
    for level in Level:
        own = [finding for finding in found if finding.contract == contract and finding.level is level]
        if own:
            yield from (f"{TITLES[level]}:", "")
            yield from dict.fromkeys(_line(finding, versions) for finding in own)
            yield ""


def _version_range(change: VersionChange | None) -> str:
    """Return the old and the new version. Empty if they are the same."""
    if change is None:
        return ""
    after = max(change.after, change.minimum)
    return "" if after == change.before else f" {format_version(change.before)} → {format_version(after)}"


def _line(finding: Finding, versions: dict[str | None, VersionChange]) -> str:
    """Return the line of one change."""
    tool = f"`{finding.tool}`{_version_range(versions.get(finding.tool))}: " if finding.tool else ""
    return f"- {tool}{escape_cell(finding.message)}"
