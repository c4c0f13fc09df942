"""The lint of a folder as a report."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.diagnostics import pluralise
from codegen.lint.catalog import RULES
from codegen.lint.linter import Finding, Lint
from codegen.reporting.markdown import code_span
from codegen.reporting.model import Detail, Report, ReportedFinding, Severity


def report(lint: Lint) -> Report:
    """The report of a lint."""
    return Report(
        command="lint",
        title=f"Lint of {code_span(lint.folder)}",
        empty_message="Nothing to mend.",
        summary=tuple(summary(lint)),
        headings={Severity.ERROR: "To mend or to accept"},
        findings=tuple(map(remark, lint.findings)),
        problems=lint.problems,
    )


def remark(finding: Finding) -> ReportedFinding:
    """A finding as it is printed; people do not see again what is accepted."""
    complaint, rule = finding.complaint, RULES[finding.complaint.rule]
    return ReportedFinding(
        rule=rule.id,
        rule_summary=rule.says,
        advice=rule.why,
        severity=Severity.ERROR,
        label="",
        subject="",
        message=complaint.sentence,
        position=finding.position,
        excerpts=(("", complaint.place),),
        detail=Detail.HIDDEN if finding.accepted else Detail.FULL,
        fingerprint=finding.fingerprint,
        suppression=finding.accepted,
        data={
            "rule": rule.id,
            "file": finding.file,
            "position": finding.position._asdict(),
            "message": complaint.sentence,
            "why": rule.why,
            "fixable": bool(complaint.additions),
            "fingerprint": finding.fingerprint,
            "accepted": finding.accepted.reason if finding.accepted else None,
        },
        properties={"fixable": bool(complaint.additions)},
    )


def summary(lint: Lint) -> Iterator[tuple[str, Severity | None]]:
    """How many findings there are."""
    found, accepted = len(lint.open), len(lint.findings) - len(lint.open)
    yield f"{lint.folder}: ", None
    yield (
        (pluralise(found, "finding"), Severity.ERROR)
        if found
        else ("no findings" if lint.problems else "nothing to mend", None)
    )
    if accepted:
        yield f", {pluralise(accepted, 'finding')} accepted", None
    mendable = sum(bool(finding.complaint.additions) for finding in lint.open)
    if mendable:
        yield f"; --fix can mend {mendable}", None
