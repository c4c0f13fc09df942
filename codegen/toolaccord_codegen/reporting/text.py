"""Reports in the form of a compiler: position, sentence, excerpt with a caret, advice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from toolaccord_codegen.diagnostics import escape_unprintable, pluralise
from toolaccord_codegen.reporting.colour import BOLD, RED, TerminalStyle
from toolaccord_codegen.reporting.compiler_text import format_excerpt
from toolaccord_codegen.reporting.model import Detail, Report, ReportedFinding, Severity
from toolaccord_codegen.reporting.sections import Section

COLOURS = {Severity.ERROR: RED, Severity.WARNING: "33;1", Severity.NOTE: "36"}
LONGEST = 300
"""Longest value in characters."""


def format_text(report: Report, style: TerminalStyle) -> str:
    """Return the report for people."""
    return "\n".join([*_format_findings(report, style), _format_summary(report, style)])


def build_section(title: str, report: Report, style: TerminalStyle, *, fails: bool) -> Section:
    """Return a report as a section of another one."""
    details = tuple(_format_findings(report, style))
    return Section(title=title, summary=_format_summary(report, style), details=details, fails=fails)


def _format_findings(report: Report, style: TerminalStyle) -> list[str]:
    """Return the lines of all findings.

    Findings at one place, as in a schema that several tools share, are grouped.
    """
    groups: dict[tuple[object, ...], list[ReportedFinding]] = defaultdict(list)
    for finding in report.findings:
        if finding.detail is not Detail.HIDDEN:
            groups[_group_key(finding)].append(finding)
    lines = [line for group in groups.values() for line in _finding_lines(group, style, report.accept_flags)]
    return lines + [style.wrap(str(problem)) for problem in report.problems]


def _format_summary(report: Report, style: TerminalStyle) -> str:
    """Return the last line."""
    result = "".join(style(piece, COLOURS[severity]) if severity else piece for piece, severity in report.summary)
    stale = len(report.problems)
    return f"{result}; {style(pluralise(stale, 'stale acceptance'), RED)} to remove" if stale else result


def _group_key(finding: ReportedFinding) -> tuple[object, ...]:
    """Return the facts that grouped findings share."""
    places = tuple((label, place.position) for label, place in finding.excerpts)
    return finding.rule, finding.severity, finding.position, places, finding.accepted, finding.message


def _finding_lines(group: list[ReportedFinding], style: TerminalStyle, accept_flags: str | None) -> Iterator[str]:
    """Yield the lines of one finding, or of the same one in several tools."""
    first = group[0]
    subjects = ", ".join(dict.fromkeys(finding.subject for finding in group if finding.subject))
    severity = style(first.label, COLOURS[first.severity]) + (" (accepted)" if first.accepted else "")
    title = ": ".join(part for part in (severity.strip(), style(first.rule, BOLD)) if part)
    message = f"{subjects}: {first.message}" if subjects else first.message
    yield style.wrap(f"{first.position}: {title}: {escape_unprintable(message)}")
    if first.detail is Detail.FULL:
        yield from _explanation_lines(first, style)
    if first.detail is not Detail.SENTENCE and not first.accepted:
        yield from _acceptance_lines(first.rule, [finding.fingerprint for finding in group], accept_flags, style)
    if first.detail is Detail.FULL:
        yield ""


def _acceptance_lines(
    rule: str, fingerprints: Sequence[str], accept_flags: str | None, style: TerminalStyle
) -> Iterator[str]:
    """Yield the command that accepts a finding, in lines that a shell reads as one."""
    if accept_flags is None:
        yield style.wrap(f"   = fingerprint: {' '.join(fingerprints)}", 5)
        return
    first = f"   = to accept: toolaccord accept {rule} {' '.join(fingerprints)}"
    rest = f"{accept_flags} --reason TEXT"
    is_long = style.columns is not None and len(first + rest) > style.columns
    yield from (f"{first} \\", f"    {rest}") if is_long else (first + rest,)


def _explanation_lines(finding: ReportedFinding, style: TerminalStyle) -> Iterator[str]:
    """Yield the excerpts, the witness, and the advice or the reason for accepting the finding."""
    yield from _excerpt_lines(finding, style)
    if finding.witness:
        label, value = finding.witness
        shown = escape_unprintable(value if len(value) <= LONGEST else value[:LONGEST] + "...")
        yield style.wrap(f"   = {label}: {shown}", 5)
    if finding.accepted:
        reason = escape_unprintable(finding.accepted.reason)
        yield style.wrap(f"   = accepted on {finding.accepted.date}: {reason}", 5)
    else:
        yield style.wrap(f"   = {finding.advice}", 5)


def _excerpt_lines(finding: ReportedFinding, style: TerminalStyle) -> Iterator[str]:
    """Yield each place with its source line."""
    for label, place in finding.excerpts:
        position = place.position
        if label and position != finding.position:  # the first line names that one
            yield style.wrap(f"   {label} {position}", 5)
        yield from format_excerpt(place.document.lines.line(position.line), position, style)
