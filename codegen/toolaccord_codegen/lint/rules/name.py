"""Lint rule for names used by several tools of a system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolaccord_codegen.lint.issues import Issue
from toolaccord_codegen.lint.rules.schema import NUMBERS
from toolaccord_codegen.lint.rules.units import find_unit, needs_unit
from toolaccord_codegen.lint.schema_walk import LintedTool, Part

Meaning = tuple[str, str]
"""An aspect of a value and its description in a message."""


def check_names(system: Sequence[LintedTool]) -> Iterator[Issue]:
    """Yield names whose meaning differs from an earlier use."""
    first: dict[tuple[str, str], tuple[str, Part]] = {}
    for subject in system:
        for part in subject.parts:
            for aspect, meaning in _meanings(part):
                other, other_part = first.setdefault((part.name, aspect), (meaning, part))
                if other != meaning:
                    position = other_part.definition.position
                    message = (
                        f'{part.label} is {meaning}, and "{part.name}" at {position} is {other}; '
                        "give different values different names"
                    )
                    yield Issue("NAME_HAS_TWO_MEANINGS", part.definition, message, (aspect, meaning, other))


def _meanings(part: Part) -> Iterator[Meaning]:
    """Yield the kind, the format and the unit of a member as far as it declares them."""
    if not part.name or part.pointer.endswith("/*"):
        return
    kinds = {"number" if kind in NUMBERS else kind for kind in part.types - {"null"}}
    if len(kinds) == 1:
        kind = kinds.pop()
        yield "kind", f"an {kind}" if kind[0] in "aeio" else f"a {kind}"
        if kind == "string" and part.node.value("format"):
            yield "format", f"of the format {part.node.value('format')}"
        if kind == "number" and needs_unit(part) and (unit_name := find_unit(part)):
            yield "unit", f"measured in {unit_name}"
