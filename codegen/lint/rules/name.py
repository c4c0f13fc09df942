"""Rules for what the tools of a system say together: a name means one thing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codegen.lint.issues import Complaint
from codegen.lint.rules.schema import NUMBERS
from codegen.lint.rules.units import needs_unit, unit
from codegen.lint.schema_walk import Part, Subject

Meaning = tuple[str, str]
"""What differs about a value, and how it is said."""


def name_complaints(system: Sequence[Subject]) -> Iterator[Complaint]:
    """Names that mean one thing to a tool, and another thing to a tool before it."""
    first: dict[tuple[str, str], tuple[str, Part]] = {}
    for subject in system:
        for part in subject.parts:
            for aspect, said in meanings(part):
                known, where = first.setdefault((part.name, aspect), (said, part))
                if known != said:
                    there = where.defined.position
                    sentence = (
                        f'{part.about} is {said}, and "{part.name}" at {there} is {known}; '
                        "call things that differ by names that do"
                    )
                    yield Complaint("NAME_HAS_TWO_MEANINGS", part.defined, sentence, (aspect, said, known))


def meanings(part: Part) -> Iterator[Meaning]:
    """What a member is: its kind, the format of a text, the unit of a number; nothing where that is left open."""
    if not part.name or part.pointer.endswith("/*"):
        return
    kinds = {"number" if kind in NUMBERS else kind for kind in part.types - {"null"}}
    if len(kinds) == 1:
        kind = kinds.pop()
        yield "kind", f"an {kind}" if kind[0] in "aeio" else f"a {kind}"
        if kind == "string" and part.node.value("format"):
            yield "format", f"of the format {part.node.value('format')}"
        if kind == "number" and needs_unit(part) and (measured := unit(part)):
            yield "unit", f"measured in {measured}"
