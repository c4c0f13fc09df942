"""Reports as Markdown, for a comment on a change."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.diagnostics import escape_lines
from toolaccord_codegen.reporting.model import Report, ReportedFinding, Severity

LONGEST = 160
"""Longest value in characters."""


def format_markdown(report: Report) -> str:
    """Return the report as a page."""
    return escape_lines("\n".join(_lines(report)))


def _lines(report: Report) -> Iterator[str]:
    """Yield the lines of the page."""
    yield f"## {report.title}"
    if not report.findings:
        yield from ("", report.empty_message)
    for severity in Severity:
        found = [finding for finding in report.findings if finding.severity is severity]
        if found:
            yield from (
                "",
                f"### {report.headings[severity]}",
                "",
                "| where | what | shown by | rule |",
                "|---|---|---|---|",
            )
            yield from map(_row, found)
    yield from report.lines
    for problem in report.problems:
        yield from ("", f"{code_span(str(problem.position))}: {escape_cell(problem.sentence)}")


def _row(finding: ReportedFinding) -> str:
    """Return a finding as a row of a table."""
    whose = f"{code_span(finding.subject)}: " if finding.subject else ""
    rule = f"{code_span(finding.rule)} {code_span(finding.fingerprint)}"
    accepted = f", accepted: {escape_cell(finding.accepted.reason)}" if finding.accepted else ""
    value = finding.witness[1] if finding.witness else ""
    witness = code_span(value if len(value) <= LONGEST else f"{value[:LONGEST]}...") if value else ""
    return (
        f"| {code_span(str(finding.position))} | {whose}{escape_cell(finding.message)} | {witness} | {rule}{accepted} |"
    )


def escape_cell(text: str) -> str:
    """Return text for a table cell, with Markdown's characters escaped."""
    plain = " ".join(text.split())
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>#|~&!" else char for char in plain)


def code_span(text: str) -> str:
    """Return text as code for a table cell."""
    plain = " ".join(text.split()).replace("|", "\\|")
    fence = "``" if "`" in plain else "`"
    pad = " " if "`" in plain else ""
    return f"{fence}{pad}{plain}{pad}{fence}"
