"""A report as Markdown, for a comment on a change."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.reporting.model import Grade, Remark, Report

LONGEST = 160
"""Characters of a value."""


def markdown(report: Report) -> str:
    """The report as a page."""
    return "\n".join(page(report))


def page(report: Report) -> Iterator[str]:
    """The lines of the page."""
    yield f"## {report.title}"
    if not report.remarks:
        yield from ("", report.nothing)
    for grade in Grade:
        found = [remark for remark in report.remarks if remark.grade is grade]
        if found:
            yield from (
                "",
                f"### {report.sections[grade]}",
                "",
                "| where | what | shown by | rule |",
                "|---|---|---|---|",
            )
            yield from map(row, found)
    yield from report.lines
    for problem in report.problems:
        yield from ("", f"{code(problem.place)}: {cell(problem.sentence)}")


def row(remark: Remark) -> str:
    """A finding as a row of a table."""
    whose = f"{code(remark.whose)}: " if remark.whose else ""
    rule = f"{code(remark.rule)} {code(remark.fingerprint)}"
    accepted = f", accepted: {cell(remark.accepted.reason)}" if remark.accepted else ""
    value = remark.shown_by[1] if remark.shown_by else ""
    witness = code(value if len(value) <= LONGEST else f"{value[:LONGEST]}...") if value else ""
    return f"| {code(str(remark.position))} | {whose}{cell(remark.message)} | {witness} | {rule}{accepted} |"


def cell(text: str) -> str:
    """Text in a cell, in which nothing is markup."""
    plain = " ".join(text.split())
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>#|~&!" else char for char in plain)


def code(text: str) -> str:
    """Text as code, in a cell."""
    plain = " ".join(text.split()).replace("|", "\\|")
    fence = "``" if "`" in plain else "`"
    pad = " " if "`" in plain else ""
    return f"{fence}{pad}{plain}{pad}{fence}"
