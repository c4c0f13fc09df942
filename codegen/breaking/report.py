"""A judgement as a report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from codegen.breaking.checker import Judgement
from codegen.breaking.findings import Finding
from codegen.breaking.rule import Bump, Direction, Level
from codegen.breaking.version_bumps import Growth, shown
from codegen.reporting.markdown import code_span
from codegen.reporting.model import Detail, Report, ReportedFinding, Severity

GRADES = {Level.BREAKING: Severity.ERROR, Level.WARNING: Severity.WARNING, Level.INFO: Severity.NOTE}
SECTIONS = {Severity.ERROR: "Breaking", Severity.WARNING: "Worth a look", Severity.NOTE: "Harmless"}

WITNESSES = {
    (Direction.INPUT, True): "taken before, refused now",
    (Direction.INPUT, False): "refused before, taken now",
    (Direction.OUTPUT, True): "possible before, not any more",
    (Direction.OUTPUT, False): "never so before, possible now",
    (None, True): "answered before, not any more",
}
"""What a witness shows, by direction, and by whether it is the old state that admits it."""


def report(judgement: Judgement) -> Report:
    """The report of a judgement."""
    return Report(
        command="breaking",
        title=f"Contracts against {code_span(judgement.against)}",
        empty_message="Nothing changed.",
        summary=tuple(summary(judgement)),
        headings=SECTIONS,
        findings=tuple(map(remark, judgement.findings)),
        problems=judgement.problems,
        json_facts={
            "against": judgement.against,
            "profile": judgement.profile.value,
            "versions": [version_data(growth) for growth in judgement.growths],
        },
        lines=tuple(version_lines(judgement)),
    )


def remark(finding: Finding) -> ReportedFinding:
    """A finding as it is printed."""
    pictures = [(word, place) for word, place in (("is", finding.new), ("was", finding.old)) if place]
    witness = finding.witness.as_json() if finding.witness else None
    return ReportedFinding(
        rule=finding.rule.id,
        rule_summary=finding.rule.summary,
        advice=finding.cure,
        severity=GRADES[finding.level],
        label=finding.level.value,
        subject=finding.whose,
        message=finding.message,
        position=finding.place,
        excerpts=tuple(pictures),
        witness=shown_by(finding),
        detail=detail(finding),
        fingerprint=finding.fingerprint,
        suppression=finding.accepted,
        data=finding.as_json(),
        properties={
            "tool": finding.tool,
            "direction": finding.direction.value if finding.direction else None,
            "bump": str(finding.bump),
            "witness": witness,
        },
    )


def shown_by(finding: Finding) -> tuple[str, str] | None:
    """The witness in words."""
    if not finding.witness:
        return None
    return WITNESSES[finding.direction, finding.witness.lost], json.dumps(finding.witness.value, ensure_ascii=False)


def detail(finding: Finding) -> Detail:
    """How much people want to see: the sentence about a version says it all."""
    if finding.is_about_versions:
        return Detail.FINGERPRINT
    return Detail.SENTENCE if finding.level is Level.INFO else Detail.FULL


def summary(judgement: Judgement) -> Iterator[tuple[str, Severity | None]]:
    """How many findings there are of each level."""
    if not judgement.findings:
        yield f"nothing changed against {judgement.against}", None
        return
    counted = Counter(finding.level for finding in judgement.findings)
    accepted = sum(finding.accepted is not None for finding in judgement.findings)
    before = f"against {judgement.against}: "
    for level in Level:
        yield f"{before}{counted[level]} ", None
        yield level.value, GRADES[level]
        before = ", "
    if accepted:
        yield f", {accepted} of them accepted", None


def version_data(growth: Growth) -> dict[str, str | None]:
    """A version, old and new, as other programs read it."""
    return {
        "contract": growth.contract,
        "tool": growth.tool,
        "old": shown(growth.before),
        "new": shown(growth.after),
        "bump": str(growth.needs),
        "least": shown(growth.least),
    }


def version_lines(judgement: Judgement) -> Iterator[str]:
    """The versions that are too small, as Markdown."""
    wanted = [growth for growth in judgement.growths if growth.needs is not Bump.NONE and growth.after < growth.least]
    if wanted:
        yield from ("", "### Versions", "")
    for growth in wanted:
        was, least = shown(growth.before), shown(growth.least)
        yield f"- {code_span(growth.tool or growth.contract)} needs {growth.needs}: {was} → {least}"
