"""Lint rules for the error codes of a tool."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolaccord.contract.agent_contracts import Agent
from toolaccord.contract.operations import Error
from toolaccord.contract.policies import When
from toolaccord.contract.tools import Tool
from toolaccord_codegen.ir.tool import CHANGING
from toolaccord_codegen.lint.issues import Issue
from toolaccord_codegen.lint.schema_walk import ARGUMENTS, LintedTool, Part
from toolaccord_codegen.loading.schema_nodes import ContractValue

ARGUMENT_CODE = re.compile(r"^(INVALID|MALFORMED|MISSING)_|_TOO_(LONG|SHORT|LARGE|SMALL)$")
"""Codes that blame an argument by their name."""
SCALARS = frozenset({"string", "integer", "number"})
CONSTRAINTS = (
    "enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "anyOf", "oneOf",
)  # fmt: skip
"""Keywords that restrict a scalar beyond its type, except `format`."""


def check_errors(subject: LintedTool) -> Iterator[Issue]:
    """Yield issues with the error codes of a tool, a resource or a prompt."""
    if isinstance(subject.record, Agent):
        return
    earlier: list[When] = []
    for error, place in zip(subject.record.errors, subject.tool.listed("errors"), strict=True):
        when = error.when or When()
        yield from _check_unbound(subject, error, place)
        yield from _check_unconstrained(subject, error, when, place)
        yield from _check_unreachable(subject, error, when, place)
        yield from _check_shadowed(subject, error, when, earlier, place)
        earlier.append(when)


def _check_unbound(subject: LintedTool, error: Error, place: ContractValue) -> Iterator[Issue]:
    """Yield a code for wrong arguments that is bound to none."""
    code = error.code
    if ARGUMENT_CODE.search(code) and error.when is None and code not in _condition_codes(subject):
        message = f'{code} is not bound to an argument; add "when": {{"at": [...]}} or a condition with this code'
        yield Issue("CODE_UNBOUND", place.at("code").place, message)


def _check_unconstrained(subject: LintedTool, error: Error, when: When, place: ContractValue) -> Iterator[Issue]:
    """Yield a code for an argument whose schema has no constraint."""
    for index, pointer in enumerate(when.at):
        part = subject.argument(pointer)
        if not part or when.keyword or part.node.format(checked=True):
            continue
        if part.types and part.types <= SCALARS and part.lacks(*CONSTRAINTS):
            types = " or ".join(sorted(part.types))
            message = f"{error.code} is for {pointer}, which may be any {types}; add a pattern or bounds"
            yield Issue("CODE_UNCONSTRAINED", place.at("when", "at").place.at(index), message, (pointer,))


def _check_unreachable(subject: LintedTool, error: Error, when: When, place: ContractValue) -> Iterator[Issue]:
    """Yield a code for a keyword or a source that the tool does not use."""
    keyword = when.keyword
    if keyword and not any(_can_violate(subject, pointer, keyword) for pointer in when.at):
        message = (
            f'{error.code} is for violations of "{keyword}", which no schema there uses; bind it to another keyword'
        )
        yield Issue("CODE_GUARDS_NOTHING", place.at("when", "keyword").place, message, (keyword,))
    effects = getattr(subject.record, "effects", None)
    if when.occasion == "source" and not any(getattr(effects, kind, None) for kind in ("reads", *CHANGING)):
        message = f"{error.code} is for errors of a source, but the tool uses none; remove the code, or list the source in effects"
        yield Issue("CODE_GUARDS_NOTHING", place.at("when", "occasion").place, message)


def _can_violate(subject: LintedTool, pointer: str, keyword: str) -> bool:
    """Return True if a value at or below an argument can violate a keyword."""
    below = [
        part for part in subject.side(ARGUMENTS) if part.pointer == pointer or part.pointer.startswith(f"{pointer}/")
    ]
    if keyword == "required" and any(part.pointer == pointer and not part.optional for part in below):
        return True
    return not below or any(_is_violable(part, keyword) for part in below)


def _is_violable(part: Part, keyword: str) -> bool:
    """Return True if a schema has a keyword that a value can violate."""
    value = part.node.format(checked=True) if keyword == "format" else part.node.value(keyword)
    return (
        bool(value)
        if keyword == "required"
        else value is not None and not (keyword == "additionalProperties" and value is True)
    )


def _check_shadowed(
    subject: LintedTool, error: Error, when: When, earlier: list[When], place: ContractValue
) -> Iterator[Issue]:
    """Yield a code that comes after codes for the same violations."""
    if when.occasion:
        is_shadowed = any(each.occasion == when.occasion for each in earlier)
    else:
        is_shadowed = bool(when.at) and all(
            any(_covers(each, when, pointer) for each in earlier) for pointer in when.at
        )
    if is_shadowed and error.code not in _condition_codes(subject):
        message = (
            f"{error.code} is never used: earlier codes match all that it is bound to; move it before them or remove it"
        )
        yield Issue("CODE_SHADOWED", place.at("code").place, message)


def _covers(earlier: When, when: When, pointer: str) -> bool:
    """Return True if an earlier binding covers another one at an argument."""
    covers = any(pointer == each or pointer.startswith(f"{each}/") for each in earlier.at)
    return covers and earlier.keyword in {None, when.keyword}


def _condition_codes(subject: LintedTool) -> list[str]:
    """Return the codes of a tool's conditions."""
    return [each.code for each in subject.record.conditions] if isinstance(subject.record, Tool) else []
