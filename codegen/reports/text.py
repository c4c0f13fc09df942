"""A report as compilers print it: place, sentence, excerpt with a caret, and what to do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from codegen.excerpts import excerpt
from codegen.problems import visible
from codegen.reports.remarks import Detail, Grade, Remark, Report

COLOURS = {Grade.ERROR: "31;1", Grade.WARNING: "33;1", Grade.NOTE: "36"}
LONGEST = 300
"""Characters of a value."""


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours, where a terminal shows them."""

    on: bool

    def __call__(self, text: str, code: str) -> str:
        """Return the text in a colour, or as it is."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text


def text(report: Report, *, colour: bool) -> str:
    """The report for people; findings at one place, as of a schema that several tools share, come as one."""
    paint = Paint(colour)
    groups: dict[tuple[object, ...], list[Remark]] = defaultdict(list)
    for remark in report.remarks:
        if remark.detail is not Detail.NOTHING:
            groups[key(remark)].append(remark)
    lines = [line for group in groups.values() for line in block(group, paint)]
    lines += [str(problem) for problem in report.problems]
    summary = "".join(paint(piece, COLOURS[grade]) if grade else piece for piece, grade in report.summary)
    return "\n".join([*lines, summary])


def key(remark: Remark) -> tuple[object, ...]:
    """What findings that come as one have in common."""
    places = tuple((word, place.position) for word, place in remark.pictures)
    return remark.rule, remark.grade, remark.position, places, remark.accepted, remark.message


def block(group: list[Remark], paint: Paint) -> Iterator[str]:
    """One finding, or the same one in several tools."""
    first = group[0]
    whose = ", ".join(dict.fromkeys(remark.whose for remark in group if remark.whose))
    grade = paint(first.word, COLOURS[first.grade]) + (" (accepted)" if first.accepted else "")
    said = ": ".join(part for part in (grade.strip(), paint(first.rule, "1")) if part)
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
        yield from (visible_line(line) for line in excerpt(place.document, position.line, position.column, *marks))


def visible_line(line: str) -> str:
    """A line of a file, in which nothing is left that a terminal would obey, colours of ours aside."""
    return "".join(char if char.isprintable() or char == "\x1b" else "?" for char in line)
