"""A report as compilers print it: place, sentence, excerpt with a caret, and what to do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from codegen.diagnostics import counted, visible
from codegen.reporting.colour import BOLD, RED, Paint
from codegen.reporting.excerpts import excerpt
from codegen.reporting.model import Detail, Grade, Remark, Report

COLOURS = {Grade.ERROR: RED, Grade.WARNING: "33;1", Grade.NOTE: "36"}
LONGEST = 300
"""Characters of a value."""


def text(report: Report, *, colour: bool) -> str:
    """The report for people."""
    paint = Paint(colour)
    return "\n".join([*body(report, paint), summary(report, paint)])


def body(report: Report, paint: Paint) -> list[str]:
    """The findings; those at one place, as of a schema that several tools share, come as one."""
    groups: dict[tuple[object, ...], list[Remark]] = defaultdict(list)
    for remark in report.remarks:
        if remark.detail is not Detail.NOTHING:
            groups[key(remark)].append(remark)
    lines = [line for group in groups.values() for line in block(group, paint)]
    return lines + [str(problem) for problem in report.problems]


def summary(report: Report, paint: Paint) -> str:
    """The last line."""
    said = "".join(paint(piece, COLOURS[grade]) if grade else piece for piece, grade in report.summary)
    idle = len(report.problems)
    return f"{said}; {paint(counted(idle, 'stale acceptance'), RED)} to remove" if idle else said


def key(remark: Remark) -> tuple[object, ...]:
    """What findings that come as one have in common."""
    places = tuple((word, place.position) for word, place in remark.pictures)
    return remark.rule, remark.grade, remark.position, places, remark.accepted, remark.message


def block(group: list[Remark], paint: Paint) -> Iterator[str]:
    """One finding, or the same one in several tools."""
    first = group[0]
    whose = ", ".join(dict.fromkeys(remark.whose for remark in group if remark.whose))
    grade = paint(first.word, COLOURS[first.grade]) + (" (accepted)" if first.accepted else "")
    said = ": ".join(part for part in (grade.strip(), paint(first.rule, BOLD)) if part)
    yield f"{first.position}: {said}: {visible(f'{whose}: {first.message}' if whose else first.message)}"
    if first.detail is Detail.WHOLE:
        yield from pictures(first, paint)
    if first.detail is Detail.WHOLE and first.shown_by:
        said, value = first.shown_by
        yield f"   = {said}: {visible(value if len(value) <= LONGEST else value[:LONGEST] + '...')}"
    if first.detail is Detail.WHOLE and first.accepted:
        yield f"   = accepted on {first.accepted.date}: {visible(first.accepted.reason)}"
    elif first.detail is Detail.WHOLE:
        yield f"   = {first.cure}"
    if first.detail is not Detail.LINE and not first.accepted:
        yield f"   = to accept: {' '.join(remark.fingerprint for remark in group)}"
    if first.detail is Detail.WHOLE:
        yield ""


def pictures(remark: Remark, paint: Paint) -> Iterator[str]:
    """The places, each with the line that stands there."""
    for word, place in remark.pictures:
        position = place.position
        marks = ("\x1b[31m", "\x1b[0m") if paint.on else ("", "")
        if word:
            yield f"   {word} {position}"
        yield from excerpt(place.document.lines.line(position.line), position.line, position.column, *marks)
