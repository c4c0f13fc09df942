"""A changelog's entry from what changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from codegen.breaking.checker import Judgement
from codegen.breaking.findings import Finding
from codegen.breaking.rule import Level
from codegen.breaking.version_bumps import Growth, shown
from codegen.reporting.markdown import escape_cell

TITLES = {Level.BREAKING: "Breaking", Level.WARNING: "Changed", Level.INFO: "Compatible"}


def changelog(judgement: Judgement) -> str:
    """What changed, a heading a server; empty where nothing did."""
    found = [finding for finding in judgement.findings if not finding.is_about_versions]
    contracts = sorted({finding.contract for finding in found})
    return "\n".join(line for name in contracts for line in entry(name, found, judgement))


def entry(contract: str, found: list[Finding], judgement: Judgement) -> Iterator[str]:
    """The part about one server."""
    grown = {growth.tool: growth for growth in judgement.growths if growth.contract == contract}
    yield f"### {PurePosixPath(contract).with_suffix('')}{versions(grown.get(None))}"
    yield ""
    for level in Level:
        own = [finding for finding in found if finding.contract == contract and finding.level is level]
        if own:
            yield from (f"{TITLES[level]}:", "")
            yield from dict.fromkeys(line(finding, grown) for finding in own)
            yield ""


def versions(growth: Growth | None) -> str:
    """From which version to which."""
    if growth is None:
        return ""
    after = max(growth.after, growth.least)
    return "" if after == growth.before else f" {shown(growth.before)} → {shown(after)}"


def line(finding: Finding, grown: dict[str | None, Growth]) -> str:
    """One change."""
    tool = f"`{finding.tool}`{versions(grown.get(finding.tool))}: " if finding.tool else ""
    return f"- {tool}{escape_cell(finding.message)}"
