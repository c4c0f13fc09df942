"""Convert a lint result into a report."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.diagnostics import pluralise
from toolaccord_codegen.lint.catalog import RULES
from toolaccord_codegen.lint.linter import Finding, LintResult
from toolaccord_codegen.reporting.markdown import code_span
from toolaccord_codegen.reporting.model import Detail, Report, ReportedFinding, Severity


def build_report(lint: LintResult) -> Report:
    """Return the report of a lint result."""
    return Report(
        command="lint",
        title=f"Lint of {code_span(lint.folder)}",
        empty_message="Nothing to fix.",
        summary=tuple(_summary_parts(lint)),
        headings={Severity.ERROR: "Fix or accept"},
        findings=tuple(map(_reported_finding, lint.findings)),
        problems=lint.problems,
    )


def _reported_finding(finding: Finding) -> ReportedFinding:
    """Return a finding as it is printed. Accepted ones are hidden in text."""
    issue, rule = finding.issue, RULES[finding.issue.rule]
    return ReportedFinding(
        rule=issue.rule,
        rule_summary=rule.summary,
        advice=rule.why,
        severity=Severity.ERROR,
        label="",
        subject="",
        message=issue.message,
        position=finding.position,
        excerpts=(("", issue.place),),
        detail=Detail.HIDDEN if finding.accepted else Detail.FULL,
        fingerprint=finding.fingerprint,
        accepted=finding.accepted,
        data={
            "rule": issue.rule,
            "file": finding.file,
            "position": finding.position._asdict(),
            "message": issue.message,
            "why": rule.why,
            "fixable": bool(issue.additions),
            "fingerprint": finding.fingerprint,
            "accepted": finding.accepted.reason if finding.accepted else None,
        },
        properties={"fixable": bool(issue.additions)},
    )


def _summary_parts(lint: LintResult) -> Iterator[tuple[str, Severity | None]]:
    """Yield the parts of the summary line."""
    found, accepted = len(lint.open), len(lint.findings) - len(lint.open)
    yield f"{lint.folder}: ", None
    yield (
        (pluralise(found, "finding"), Severity.ERROR)
        if found
        else ("no findings" if lint.problems else "nothing to fix", None)
    )
    if accepted:
        yield f", {pluralise(accepted, 'finding')} accepted", None
    fixable = sum(bool(finding.issue.additions) for finding in lint.open)
    if fixable:
        yield f"; --fix can fix {fixable}", None
