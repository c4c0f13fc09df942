"""Convert the result of checking changes into a report."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator

from toolaccord_codegen.breaking.checker import CheckResult
from toolaccord_codegen.breaking.findings import Finding
from toolaccord_codegen.breaking.rule import Direction, Level
from toolaccord_codegen.breaking.version_bumps import VersionChange, format_version
from toolaccord_codegen.diagnostics import pluralise
from toolaccord_codegen.reporting.markdown import code_span
from toolaccord_codegen.reporting.model import Detail, Report, ReportedFinding, Severity

SEVERITIES = {Level.BREAKING: Severity.ERROR, Level.WARNING: Severity.WARNING, Level.INFO: Severity.NOTE}
HEADINGS = {Severity.ERROR: "Breaking", Severity.WARNING: "Worth a look", Severity.NOTE: "Harmless"}

WITNESS_LABELS = {
    (Direction.INPUT, True): "accepted before, rejected now",
    (Direction.INPUT, False): "rejected before, accepted now",
    (Direction.OUTPUT, True): "possible before, impossible now",
    (Direction.OUTPUT, False): "impossible before, possible now",
    (None, True): "answered before, no longer answered",
}
"""Labels of witnesses by direction and by loss."""


def build_report(result: CheckResult) -> Report:
    """Return the report of checked changes."""
    return Report(
        command="breaking",
        title=f"{'Contracts' if result.not_compared is None else 'Lists'} against {code_span(result.against)}",
        empty_message="Nothing changed.",
        summary=tuple(_summary_parts(result)),
        headings=HEADINGS,
        findings=tuple(map(_reported_finding, result.findings)),
        problems=result.problems,
        accept_flags=f" --against {shlex.quote(result.against)}" if result.not_compared is None else None,
        json_facts={
            "against": result.against,
            "profile": result.profile.value,
            "versions": [_version_data(version) for version in result.version_changes],
        }
        | ({} if result.not_compared is None else {"not_compared": result.not_compared}),
        lines=tuple(_version_lines(result)),
    )


def _reported_finding(finding: Finding) -> ReportedFinding:
    """Return a finding as it is printed."""
    excerpts = tuple((word, place) for word, place in (("is", finding.new), ("was", finding.old)) if place)
    detail = Detail.SENTENCE if finding.level is Level.INFO else Detail.FULL
    data = finding.as_json()
    return ReportedFinding(
        rule=finding.rule.id,
        rule_summary=finding.rule.summary,
        advice=finding.cure or "",
        severity=SEVERITIES[finding.level],
        label=finding.level.value,
        subject=finding.subject,
        message=finding.message,
        position=finding.position,
        excerpts=excerpts,
        witness=_witness_text(finding),
        detail=Detail.FINGERPRINT if finding.is_about_versions else detail,  # a version's message is complete
        fingerprint=finding.fingerprint,
        accepted=finding.accepted,
        data=data,
        properties={key: data[key] for key in ("tool", "direction", "bump", "witness")},
    )


def _witness_text(finding: Finding) -> tuple[str, str] | None:
    """Return the label and the JSON of a witness."""
    if not finding.witness:
        return None
    label = WITNESS_LABELS[finding.direction, finding.witness.is_loss]
    return label, json.dumps(finding.witness.value, ensure_ascii=False)


def _summary_parts(result: CheckResult) -> Iterator[tuple[str, Severity | None]]:
    """Yield the parts of the summary line."""
    rest = (
        f"; {pluralise(result.not_compared, 'part')} that contracts cannot have were left out"
        if result.not_compared
        else ""
    )
    if not result.findings:
        yield f"nothing changed against {result.against}{rest}", None
        return
    counts = Counter(finding.level for finding in result.findings)
    accepted = sum(finding.accepted is not None for finding in result.findings)
    prefix = f"against {result.against}: "
    for level in Level:
        yield f"{prefix}{counts[level]} ", None
        yield level.value, SEVERITIES[level]
        prefix = ", "
    if accepted:
        yield f", {accepted} of them accepted", None
    if rest:
        yield rest, None


def _version_data(version: VersionChange) -> dict[str, str | None]:
    """Return a version for JSON output."""
    return {
        "contract": version.contract,
        "tool": version.tool,
        "old": format_version(version.before),
        "new": format_version(version.after),
        "bump": str(version.required),
        "least": format_version(version.minimum),
    }


def _version_lines(result: CheckResult) -> Iterator[str]:
    """Yield the versions that are too small, as Markdown."""
    wanted = [version for version in result.version_changes if version.required and version.after < version.minimum]
    if wanted:
        yield from ("", "### Versions", "")
    for version in wanted:
        was, minimum = format_version(version.before), format_version(version.minimum)
        yield f"- {code_span(version.tool or version.contract)} needs {version.required}: {was} → {minimum}"
