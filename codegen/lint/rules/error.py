"""Rules for the codes that a tool may answer with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from codegen.lint.issues import Complaint, texts
from codegen.lint.schema_walk import ARGUMENTS, Part, Subject
from codegen.loading.references import as_object
from codegen.loading.schema_nodes import ContractValue

BLAMES = re.compile(r"^(INVALID|MALFORMED|MISSING)_|_TOO_(LONG|SHORT|LARGE|SMALL)$")
"""Codes that say by their name that an argument is wrong."""
SCALARS = frozenset({"string", "integer", "number"})
CONSTRAINTS = (
    "enum", "const", "format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "anyOf", "oneOf",
)  # fmt: skip
"""What a scalar may be held to beside its type."""


def error_complaints(subject: Subject) -> Iterator[Complaint]:
    """What is to be said of the codes of a tool."""
    errors = subject.tool.listed("errors")
    for index, error in enumerate(errors):
        yield from unbound(subject, error)
        yield from unconstrained(subject, error)
        yield from guarding_nothing(subject, error)
        yield from shadowed(subject, error, errors[:index])


def unbound(subject: Subject, error: ContractValue) -> Iterator[Complaint]:
    """A code about arguments that nothing but a handler can answer."""
    code = str(error.at("code").value)
    if BLAMES.search(code) and error.at("when").value is None and code not in of_conditions(subject):
        sentence = f'{code} is bound to no argument; add "when": {{"at": [...]}}, or a condition with this code'
        yield Complaint("CODE_UNBOUND", error.at("code").place, sentence)


def unconstrained(subject: Subject, error: ContractValue) -> Iterator[Complaint]:
    """A code for arguments that the schema takes as they come."""
    when = as_object(error.at("when").value)
    for index, pointer in enumerate(texts(when.get("at"))):
        part = subject.argument(pointer)
        if part and "keyword" not in when and part.types and part.types <= SCALARS and part.lacks(*CONSTRAINTS):
            sentence = f"{error.at('code').value} guards {pointer}, which may be any {' or '.join(sorted(part.types))}; say what it must be, e.g. by a pattern or bounds"
            yield Complaint("CODE_UNCONSTRAINED", error.at("when", "at").place.at(index), sentence, (pointer,))


def guarding_nothing(subject: Subject, error: ContractValue) -> Iterator[Complaint]:
    """A code for violations of a keyword that no argument has, or for the fault of a source where there is none."""
    when, code = as_object(error.at("when").value), error.at("code").value
    keyword = when.get("keyword")
    if isinstance(keyword, str) and not any(heeds(subject, pointer, keyword) for pointer in texts(when.get("at"))):
        sentence = (
            f'{code} is bound to violations of "{keyword}", which no schema there says; bind it to what can happen'
        )
        yield Complaint("CODE_GUARDS_NOTHING", error.at("when", "keyword").place, sentence, (keyword,))
    effects = as_object(subject.tool.at("effects").value)
    if when.get("occasion") == "source" and not (effects.get("reads") or effects.get("writes")):
        sentence = f"{code} is bound to faults of a source, and the tool has none; remove the code, or say in effects what it reads"
        yield Complaint("CODE_GUARDS_NOTHING", error.at("when", "occasion").place, sentence)


def heeds(subject: Subject, pointer: str, keyword: str) -> bool:
    """Whether some schema at or below an argument can be broken in a keyword."""
    below = [
        part for part in subject.side(ARGUMENTS) if part.pointer == pointer or part.pointer.startswith(f"{pointer}/")
    ]
    if keyword == "required" and any(part.pointer == pointer and not part.optional for part in below):
        return True
    return not below or any(says(part, keyword) for part in below)


def says(part: Part, keyword: str) -> bool:
    """Whether a schema has a keyword that some value breaks."""
    value = part.node.value(keyword)
    return (
        bool(value)
        if keyword == "required"
        else value is not None and not (keyword == "additionalProperties" and value is True)
    )


def shadowed(subject: Subject, error: ContractValue, earlier: list[ContractValue]) -> Iterator[Complaint]:
    """A code that comes after others that answer the same."""
    when, code = as_object(error.at("when").value), error.at("code").value
    before = [as_object(each.at("when").value) for each in earlier]
    if "occasion" in when:
        taken = any(each.get("occasion") == when["occasion"] for each in before)
    else:
        places = texts(when.get("at"))
        taken = bool(places) and all(any(answers(each, when, place) for each in before) for place in places)
    if taken and code not in of_conditions(subject):
        sentence = f"codes before {code} answer all that it is bound to; put it before them, or remove it"
        yield Complaint("CODE_SHADOWED", error.at("code").place, sentence)


def answers(earlier: dict[str, Any], when: dict[str, Any], place: str) -> bool:
    """Whether a binding takes every violation of another one at an argument."""
    covers = any(place == each or place.startswith(f"{each}/") for each in texts(earlier.get("at")))
    return covers and earlier.get("keyword", when.get("keyword")) == when.get("keyword")


def of_conditions(subject: Subject) -> list[Any]:
    """The codes of a tool's conditions."""
    return [condition.at("code").value for condition in subject.tool.listed("conditions")]
