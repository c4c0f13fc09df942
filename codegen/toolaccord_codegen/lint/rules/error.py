"""Lint rules for the error codes of a tool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolaccord_codegen.ir.tool import CHANGING
from toolaccord_codegen.lint.issues import Issue, string_items
from toolaccord_codegen.lint.schema_walk import ARGUMENTS, LintedTool, Part
from toolaccord_codegen.loading.references import as_object
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
    """Yield issues with the error codes of a tool."""
    errors = subject.tool.listed("errors")
    for index, error in enumerate(errors):
        yield from _check_unbound(subject, error)
        yield from _check_unconstrained(subject, error)
        yield from _check_unreachable(subject, error)
        yield from _check_shadowed(subject, error, errors[:index])


def _check_unbound(subject: LintedTool, error: ContractValue) -> Iterator[Issue]:
    """Yield a code for wrong arguments that is bound to none."""
    code = str(error.at("code").value)
    if ARGUMENT_CODE.search(code) and error.at("when").value is None and code not in _condition_codes(subject):
        message = f'{code} is not bound to an argument; add "when": {{"at": [...]}} or a condition with this code'
        yield Issue("CODE_UNBOUND", error.at("code").place, message)


def _check_unconstrained(subject: LintedTool, error: ContractValue) -> Iterator[Issue]:
    """Yield a code for an argument whose schema has no constraint."""
    when = as_object(error.at("when").value)
    for index, pointer in enumerate(string_items(when.get("at"))):
        part = subject.argument(pointer)
        if not part or "keyword" in when or part.node.format(checked=True):
            continue
        if part.types and part.types <= SCALARS and part.lacks(*CONSTRAINTS):
            types = " or ".join(sorted(part.types))
            message = f"{error.at('code').value} is for {pointer}, which may be any {types}; add a pattern or bounds"
            yield Issue("CODE_UNCONSTRAINED", error.at("when", "at").place.at(index), message, (pointer,))


def _check_unreachable(subject: LintedTool, error: ContractValue) -> Iterator[Issue]:
    """Yield a code for a keyword or a source that the tool does not use."""
    when, code = as_object(error.at("when").value), error.at("code").value
    keyword = when.get("keyword")
    if isinstance(keyword, str) and not any(
        _can_violate(subject, pointer, keyword) for pointer in string_items(when.get("at"))
    ):
        message = f'{code} is for violations of "{keyword}", which no schema there uses; bind it to another keyword'
        yield Issue("CODE_GUARDS_NOTHING", error.at("when", "keyword").place, message, (keyword,))
    effects = as_object(subject.tool.at("effects").value)
    if when.get("occasion") == "source" and not any(map(effects.get, ("reads", *CHANGING))):
        message = (
            f"{code} is for errors of a source, but the tool uses none; remove the code, or list the source in effects"
        )
        yield Issue("CODE_GUARDS_NOTHING", error.at("when", "occasion").place, message)


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


def _check_shadowed(subject: LintedTool, error: ContractValue, earlier: list[ContractValue]) -> Iterator[Issue]:
    """Yield a code that comes after codes for the same violations."""
    when, code = as_object(error.at("when").value), error.at("code").value
    bindings = [as_object(each.at("when").value) for each in earlier]
    if "occasion" in when:
        is_shadowed = any(each.get("occasion") == when["occasion"] for each in bindings)
    else:
        pointers = string_items(when.get("at"))
        is_shadowed = bool(pointers) and all(
            any(_covers(each, when, pointer) for each in bindings) for pointer in pointers
        )
    if is_shadowed and code not in _condition_codes(subject):
        message = f"{code} is never used: earlier codes match all that it is bound to; move it before them or remove it"
        yield Issue("CODE_SHADOWED", error.at("code").place, message)


def _covers(earlier: dict[str, Any], when: dict[str, Any], pointer: str) -> bool:
    """Return True if an earlier binding covers another one at an argument."""
    covers = any(pointer == each or pointer.startswith(f"{each}/") for each in string_items(earlier.get("at")))
    return covers and earlier.get("keyword", when.get("keyword")) == when.get("keyword")


def _condition_codes(subject: LintedTool) -> list[Any]:
    """Return the codes of a tool's conditions."""
    return [condition.at("code").value for condition in subject.tool.listed("conditions")]
