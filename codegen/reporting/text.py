"""A report as compilers print it: place, sentence, excerpt with a caret, and what to do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from codegen.diagnostics import escape_unprintable, pluralise
from codegen.reporting.colour import BOLD, RED, Paint
from codegen.reporting.excerpts import format_excerpt
from codegen.reporting.model import Detail, Report, ReportedFinding, Severity

COLOURS = {Severity.ERROR: RED, Severity.WARNING: "33;1", Severity.NOTE: "36"}
LONGEST = 300
"""Characters of a value."""


def format_text(report: Report, *, colour: bool) -> str:
    """The report for people."""
    paint = Paint(colour)
    return "\n".join([*format_findings(report, paint), format_summary(report, paint)])


def format_findings(report: Report, paint: Paint) -> list[str]:
    """The findings; those at one place, as of a schema that several tools share, come as one."""
    groups: dict[tuple[object, ...], list[ReportedFinding]] = defaultdict(list)
    for finding in report.findings:
        if finding.detail is not Detail.HIDDEN:
            groups[_group_key(finding)].append(finding)
    lines = [line for group in groups.values() for line in _finding_lines(group, paint)]
    return lines + [str(problem) for problem in report.problems]


def format_summary(report: Report, paint: Paint) -> str:
    """The last line."""
    said = "".join(paint(piece, COLOURS[severity]) if severity else piece for piece, severity in report.summary)
    idle = len(report.problems)
    return f"{said}; {paint(pluralise(idle, 'stale acceptance'), RED)} to remove" if idle else said


def _group_key(finding: ReportedFinding) -> tuple[object, ...]:
    """What findings that come as one have in common."""
    places = tuple((word, place.position) for word, place in finding.excerpts)
    return finding.rule, finding.severity, finding.position, places, finding.suppression, finding.message


def _finding_lines(group: list[ReportedFinding], paint: Paint) -> Iterator[str]:
    """One finding, or the same one in several tools."""
    first = group[0]
    whose = ", ".join(dict.fromkeys(finding.subject for finding in group if finding.subject))
    severity = paint(first.label, COLOURS[first.severity]) + (" (accepted)" if first.suppression else "")
    said = ": ".join(part for part in (severity.strip(), paint(first.rule, BOLD)) if part)
    yield f"{first.position}: {said}: {escape_unprintable(f'{whose}: {first.message}' if whose else first.message)}"
    if first.detail is Detail.FULL:
        yield from _excerpt_lines(first, paint)
    if first.detail is Detail.FULL and first.witness:
        said, value = first.witness
        yield f"   = {said}: {escape_unprintable(value if len(value) <= LONGEST else value[:LONGEST] + '...')}"
    if first.detail is Detail.FULL and first.suppression:
        yield f"   = accepted on {first.suppression.date}: {escape_unprintable(first.suppression.reason)}"
    elif first.detail is Detail.FULL:
        yield f"   = {first.advice}"
    if first.detail is not Detail.SENTENCE and not first.suppression:
        yield f"   = to accept: {' '.join(finding.fingerprint for finding in group)}"
    if first.detail is Detail.FULL:
        yield ""


def _excerpt_lines(finding: ReportedFinding, paint: Paint) -> Iterator[str]:
    """The places, each with the line that stands there."""
    for word, place in finding.excerpts:
        position = place.position
        marks = ("\x1b[31m", "\x1b[0m") if paint.on else ("", "")
        if word:
            yield f"   {word} {position}"
        yield from format_excerpt(place.document.lines.line(position.line), position.line, position.column, *marks)
