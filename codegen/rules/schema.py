"""Rules for each schema of a contract: what can be judged without knowing what the schema is for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema_rs

from codegen.diagnostics import Problem
from codegen.loading.documents import Document, member
from codegen.loading.references import (
    Library,
    as_array,
    as_object,
    reference_faults,
    schema_roots,
    subschemas,
)

RANGES = (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"))
LONGEST = 200
"""Characters of a reason; a validator may repeat the whole value in it."""
NOT_ECMASCRIPT = re.compile(r"\\[AZzG]|\(\?P|\(\?#|\(\?[imsx-]+[:)]|\\[pP](?!\{)|\[\[:")
"""Pieces of a regular expression that hosts' ECMAScript engines read otherwise, or not at all."""


def schema_faults(library: Library, document: Document) -> Iterator[Problem]:
    """Faults in the schemas of one contract or shared file."""
    yield from reference_faults(library, document)
    for root, schema in schema_roots(document):
        for pointer, part in subschemas(schema, root):
            for judge in (range_fault, pattern_fault, required_fault, enum_fault):
                yield from judge(document, pointer, part)
            yield from default_fault(library, document, pointer, part)


def range_fault(document: Document, pointer: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    """A least value above the greatest."""
    for low, high in RANGES:
        least, greatest = schema.get(low), schema.get(high)
        if isinstance(least, int | float) and isinstance(greatest, int | float) and least > greatest:
            yield document.problem(
                member(pointer, low), "EMPTY_RANGE", f"{low} {least} is above {high} {greatest}; no value would do"
            )


def pattern_fault(document: Document, pointer: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    """A regular expression that some validator cannot read."""
    pattern = schema.get("pattern")
    if not isinstance(pattern, str):
        return
    at = member(pointer, "pattern")
    foreign = NOT_ECMASCRIPT.search(pattern)
    if foreign:
        yield document.problem(at, "PATTERN_INVALID", f'"{foreign.group()}" is not ECMAScript; hosts cannot read it')
        return
    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern}, offline=True)
    except ValueError:
        yield document.problem(at, "PATTERN_INVALID", f'"{pattern}" is not a regular expression')


def required_fault(document: Document, pointer: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    """A required member that a closed object does not have."""
    if schema.get("additionalProperties") is not False:
        return
    for index, name in enumerate(as_array(schema.get("required"))):
        if isinstance(name, str) and name not in as_object(schema.get("properties")):
            yield document.problem(
                member(pointer, "required", index),
                "REQUIRED_UNKNOWN",
                f'"{name}" is required but not among the properties of this closed object; no value would do',
            )


def enum_fault(document: Document, pointer: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    """A value in an enum, or a const, that the schema's own type refuses."""
    types = schema.get("type")
    listed = {"const": [schema["const"]]} if "const" in schema else {"enum": as_array(schema.get("enum"))}
    for key, values in listed.items():
        for error in violations({"items": {"type": types}}, values) if types is not None else ():
            at = member(pointer, key) if key == "const" else member(pointer, key, *error.instance_path)
            yield document.problem(at, "ENUM_TYPE", f"this value is not of the schema's type, {json.dumps(types)}")


def default_fault(library: Library, document: Document, pointer: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    """A default that its own schema refuses."""
    if "default" not in schema:
        return
    for place, why in refusals(library.inlined(document, schema), schema["default"]):
        at = member(pointer, "default") + place
        yield document.problem(at, "DEFAULT_INVALID", f"the default breaks its own schema: {why}")


def refusals(schema: Mapping[str, Any], value: Any) -> Iterator[tuple[str, str]]:
    """Where and why a value does not fit a schema: pointers into the value, with reasons."""
    for error in violations(schema, value):
        why = error.message if len(error.message) <= LONGEST else f"{error.message[:LONGEST]}..."
        yield member("", *error.instance_path), why


def violations(schema: Mapping[str, Any], value: Any) -> list[jsonschema_rs.ValidationError]:
    """The violations of a value, formats asserted; none where the schema itself is broken."""
    draft = {key: part for key, part in schema.items() if key != "$schema"}
    try:
        checker = jsonschema_rs.Draft202012Validator(draft, validate_formats=True, offline=True)
    except ValueError:
        return []
    return list(checker.iter_errors(value))
