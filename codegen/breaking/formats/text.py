"""A judgement as compilers print it: place, sentence, excerpt with a caret, and what to do."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from codegen.breaking.findings import Finding
from codegen.breaking.judgement import Judgement
from codegen.breaking.rules import Level
from codegen.excerpts import excerpt
from codegen.problems import visible

CODES = {Level.BREAKING: "31;1", Level.WARNING: "33;1", Level.INFO: "36"}
LONGEST = 300
"""Characters of a witness."""


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours, where a terminal shows them."""

    on: bool

    def __call__(self, text: str, code: str) -> str:
        """Return the text in a colour, or as it is."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text


def text(judgement: Judgement, *, colour: bool) -> str:
    """The judgement for people; findings at one place, as of a schema that several tools share, come as one."""
    paint = Paint(colour)
    groups: dict[tuple[object, ...], list[Finding]] = defaultdict(list)
    for finding in judgement.findings:
        groups[key(finding)].append(finding)
    lines = [line for group in groups.values() for line in block(group, paint)]
    lines += [str(problem) for problem in judgement.problems]
    return "\n".join([*lines, *summary(judgement, paint)])


def key(finding: Finding) -> tuple[object, ...]:
    """What findings that come as one have in common."""
    places = tuple(place.position if place else None for place in (finding.old, finding.new))
    return finding.rule.id, finding.level, places, finding.accepted, finding.message


def block(group: list[Finding], paint: Paint) -> Iterator[str]:
    """One finding, or the same one in several tools."""
    first = group[0]
    whose = ", ".join(dict.fromkeys(finding.whose for finding in group))
    grade = paint(first.level.value, CODES[first.level]) + (" (accepted)" if first.accepted else "")
    yield f"{first.place}: {grade}: {paint(first.rule.id, '1')}: {visible(f'{whose}: {first.message}')}"
    if first.rule.id.startswith("VERSION_") and not first.accepted:
        yield f"   = to accept: {first.fingerprint}"
    if first.rule.id.startswith("VERSION_") or first.level is Level.INFO:
        return
    yield from (line for line in pictures(first, paint))
    if first.witness:
        said = "taken or promised before, not any more" if first.witness.lost else "never so before, possible now"
        value = json.dumps(first.witness.value, ensure_ascii=False)
        yield f"   = {said}: {visible(value if len(value) <= LONGEST else value[:LONGEST] + '...')}"
    if first.accepted:
        yield f"   = accepted on {first.accepted.date}: {visible(first.accepted.reason)}"
    else:
        yield f"   = {first.rule.cure}"
        yield f"   = to accept: {' '.join(finding.fingerprint for finding in group)}"
    yield ""


def pictures(finding: Finding, paint: Paint) -> Iterator[str]:
    """The place as it is, and as it was."""
    for place, word in ((finding.new, "is"), (finding.old, "was")):
        if place:
            position = place.position
            marks = ("\x1b[31m", "\x1b[0m") if paint.on else ("", "")
            yield f"   {word} {position}"
            yield from (visible_line(line) for line in excerpt(place.document, position.line, position.column, *marks))


def visible_line(line: str) -> str:
    """A line of a file, in which nothing is left that a terminal would obey, colours of ours aside."""
    return "".join(char if char.isprintable() or char == "\x1b" else "?" for char in line)


def summary(judgement: Judgement, paint: Paint) -> Iterator[str]:
    """How many findings there are of each level."""
    counted = Counter(finding.level for finding in judgement.findings)
    accepted = sum(finding.accepted is not None for finding in judgement.findings)
    numbers = ", ".join(f"{counted[level]} {paint(level.value, CODES[level])}" for level in Level)
    extra = f", {accepted} of them accepted" if accepted else ""
    if not judgement.findings:
        yield f"nothing changed against {judgement.against}"
        return
    yield f"against {judgement.against}: {numbers}{extra}"
