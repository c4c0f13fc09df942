"""Rules for each schema of a contract, whatever the schema is for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema_rs

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import (
    SchemaLibrary,
    as_array,
    as_object,
    check_references,
    schema_roots,
    subschemas,
)
from toolaccord_codegen.loading.schema_nodes import select_keywords

RANGES = (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems"))
LONGEST = 200
"""Longest reason in characters; a validator may repeat the whole value in it."""
NOT_ECMASCRIPT = re.compile(r"\\[AZzG]|\(\?P|\(\?#|\(\?[imsx-]+[:)]|\\[pP](?!\{)|\[\[:")
"""Regular expression syntax that ECMAScript engines of hosts read differently or reject."""


def check_schemas(library: SchemaLibrary, document: Document) -> Iterator[Problem]:
    """Yield problems in the schemas of one contract or shared file."""
    yield from check_references(library, document)
    for root, schema in schema_roots(document):
        for pointer, part in subschemas(schema, root):
            for check in (check_range, check_pattern, _check_required, check_enum):
                yield from check(document, pointer, part)
            yield from _check_default(library, document, pointer, part)
            if "$defs" in part and pointer != root:
                sentence = 'references look for "$defs" at the root of the schema or of the file; move it there'
                yield document.problem(join_pointer(pointer, "$defs"), "KEYWORD_DROPPED", sentence, key=True)


def check_range(document: Document, pointer: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield minimums above their maximum."""
    for low, high in RANGES:
        least, greatest = schema.get(low), schema.get(high)
        if isinstance(least, int | float) and isinstance(greatest, int | float) and least > greatest:
            yield document.problem(
                join_pointer(pointer, low),
                "EMPTY_RANGE",
                f"{low} {least} is above {high} {greatest}; no value fits",
            )


def check_pattern(document: Document, pointer: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield regular expressions that some validator cannot read."""
    pattern = schema.get("pattern")
    if not isinstance(pattern, str):
        return
    if fault := find_pattern_fault(pattern):
        yield document.problem(join_pointer(pointer, "pattern"), *fault)


def find_pattern_fault(pattern: str) -> tuple[str, str] | None:
    """Return the rule that a regular expression breaks, and the reason; None without a fault.

    A server matches in a time that grows with the length of the text, so no caller can occupy it with a long one. The
    engines that do so know no look-around and no back references.
    """
    if foreign := NOT_ECMASCRIPT.search(pattern):
        return "PATTERN_INVALID", f'"{foreign.group()}" is not ECMAScript; hosts cannot read it'
    if _compiles(pattern, jsonschema_rs.RegexOptions()):
        return None
    if _compiles(pattern, jsonschema_rs.FancyRegexOptions()):
        reason = "looks around, refers back or is too large, so a long text could occupy a server; write it without"
        return "PATTERN_BACKTRACKS", f'"{pattern}" {reason}'
    return "PATTERN_INVALID", f'"{pattern}" is not a regular expression'


def _compiles(pattern: str, options: jsonschema_rs.RegexOptions | jsonschema_rs.FancyRegexOptions) -> bool:
    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=options, offline=True)
    except ValueError:
        return False
    return True


def _check_required(document: Document, pointer: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield required members that a closed object does not have."""
    if schema.get("additionalProperties") is not False:
        return
    for index, name in enumerate(as_array(schema.get("required"))):
        if isinstance(name, str) and name not in as_object(schema.get("properties")):
            yield document.problem(
                join_pointer(pointer, "required", index),
                "REQUIRED_UNKNOWN",
                f'"{name}" is required but not among the properties of this closed object; no value fits',
            )


def check_enum(document: Document, pointer: str, schema: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield values of an enum or const that the schema's own type rejects."""
    types = schema.get("type")
    listed = {"const": [schema["const"]]} if "const" in schema else {"enum": as_array(schema.get("enum"))}
    for key, values in listed.items():
        for error in _validation_errors({"items": {"type": types}}, values) if types is not None else ():
            at = join_pointer(pointer, key) if key == "const" else join_pointer(pointer, key, *error.instance_path)
            yield document.problem(at, "ENUM_TYPE", f"this value is not of the schema's type, {json.dumps(types)}")


def _check_default(
    library: SchemaLibrary, document: Document, pointer: str, schema: Mapping[str, Any]
) -> Iterator[Problem]:
    """Yield defaults that their own schema rejects."""
    if "default" not in schema:
        return
    for place, why in violations(library.inline(document, schema), schema["default"]):
        at = join_pointer(pointer, "default") + place
        yield document.problem(at, "DEFAULT_INVALID", f"the default breaks its own schema: {why}")


def violations(schema: Mapping[str, Any], value: Any) -> Iterator[tuple[str, str]]:
    """Yield a pointer into the value and a reason for each violation of a schema."""
    for error in _validation_errors(schema, value):
        why = error.message if len(error.message) <= LONGEST else f"{error.message[:LONGEST]}..."
        yield join_pointer("", *error.instance_path), why


def _validation_errors(schema: Mapping[str, Any], value: Any) -> list[jsonschema_rs.ValidationError]:
    """Return the violations of a value, formats included; none where the schema is invalid."""
    try:
        checker = jsonschema_rs.Draft202012Validator(select_keywords(schema), validate_formats=True, offline=True)
    except ValueError:
        return []
    return list(checker.iter_errors(value))
