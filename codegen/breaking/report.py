"""A judgement as a report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from codegen.breaking.checker import Judgement
from codegen.breaking.findings import Finding
from codegen.breaking.rule import Bump, Direction, Level
from codegen.breaking.version_bumps import Growth, shown
from codegen.reporting.markdown import code
from codegen.reporting.model import Detail, Grade, Remark, Report

GRADES = {Level.BREAKING: Grade.ERROR, Level.WARNING: Grade.WARNING, Level.INFO: Grade.NOTE}
SECTIONS = {Grade.ERROR: "Breaking", Grade.WARNING: "Worth a look", Grade.NOTE: "Harmless"}

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
        judge="breaking",
        title=f"Contracts against {code(judgement.against)}",
        nothing="Nothing changed.",
        summary=tuple(summary(judgement)),
        sections=SECTIONS,
        remarks=tuple(map(remark, judgement.findings)),
        problems=judgement.problems,
        facts={
            "against": judgement.against,
            "profile": judgement.profile.value,
            "versions": [version_data(growth) for growth in judgement.growths],
        },
        lines=tuple(version_lines(judgement)),
    )


def remark(finding: Finding) -> Remark:
    """A finding as it is printed."""
    pictures = [(word, place) for word, place in (("is", finding.new), ("was", finding.old)) if place]
    witness = finding.witness.as_json() if finding.witness else None
    return Remark(
        rule=finding.rule.id,
        says=finding.rule.says,
        cure=finding.cure,
        grade=GRADES[finding.level],
        word=finding.level.value,
        whose=finding.whose,
        message=finding.message,
        position=finding.place,
        pictures=tuple(pictures),
        shown_by=shown_by(finding),
        detail=detail(finding),
        fingerprint=finding.fingerprint,
        accepted=finding.accepted,
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
    return Detail.LINE if finding.level is Level.INFO else Detail.WHOLE


def summary(judgement: Judgement) -> Iterator[tuple[str, Grade | None]]:
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
        yield f"- {code(growth.tool or growth.contract)} needs {growth.needs}: {was} → {least}"
