"""The lint of a folder as a report."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.diagnostics import counted
from codegen.lint.catalog import RULES
from codegen.lint.linter import Finding, Lint
from codegen.reporting.markdown import code
from codegen.reporting.model import Detail, Grade, Remark, Report


def report(lint: Lint) -> Report:
    """The report of a lint."""
    return Report(
        judge="lint",
        title=f"Lint of {code(lint.folder)}",
        nothing="Nothing to mend.",
        summary=tuple(summary(lint)),
        sections={Grade.ERROR: "To mend or to accept"},
        remarks=tuple(map(remark, lint.findings)),
        problems=lint.problems,
    )


def remark(finding: Finding) -> Remark:
    """A finding as it is printed; people do not see again what is accepted."""
    complaint, rule = finding.complaint, RULES[finding.complaint.rule]
    return Remark(
        rule=rule.id,
        says=rule.says,
        cure=rule.why,
        grade=Grade.ERROR,
        word="",
        whose="",
        message=complaint.sentence,
        position=finding.position,
        pictures=(("", complaint.place),),
        detail=Detail.NOTHING if finding.accepted else Detail.WHOLE,
        fingerprint=finding.fingerprint,
        accepted=finding.accepted,
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


def summary(lint: Lint) -> Iterator[tuple[str, Grade | None]]:
    """How many findings there are."""
    found, accepted = len(lint.open), len(lint.findings) - len(lint.open)
    yield f"{lint.folder}: ", None
    yield (
        (counted(found, "finding"), Grade.ERROR)
        if found
        else ("no findings" if lint.problems else "nothing to mend", None)
    )
    if accepted:
        yield f", {counted(accepted, 'finding')} accepted", None
    mendable = sum(bool(finding.complaint.additions) for finding in lint.open)
    if mendable:
        yield f"; --fix can mend {mendable}", None
