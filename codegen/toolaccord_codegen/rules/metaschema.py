"""Validation against contract.schema.json, the metaschema of contracts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import jsonschema_rs

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.ir.tool import Schema
from toolaccord_codegen.loading.documents import OWN_SCHEMA, Document

UNSUPPORTED_KEYWORDS = frozenset(
    [
        "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies", "uniqueItems",
        "minProperties", "maxProperties", "patternProperties", "contains", "minContains",
        "maxContains", "prefixItems", "additionalItems", "unevaluatedItems", "unevaluatedProperties", "contentEncoding",
        "contentMediaType", "contentSchema", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$id",
        "definitions",
    ]
)  # fmt: skip
"""Keywords of JSON Schema that a Pydantic model or some host would silently drop."""


@cache
def load_metaschema() -> dict[str, Any]:
    """Return the metaschema of contracts; its `$defs` describe the other files too."""
    loaded: dict[str, Any] = json.loads(OWN_SCHEMA.read_text(encoding="utf-8"))
    return loaded


@cache
def language_validator(part: str | None) -> jsonschema_rs.Validator:
    """Return a validator for contracts, or for one of the `$defs`."""
    schema = load_metaschema()
    if part:
        schema = {"$schema": schema["$schema"], "$ref": f"#/$defs/{part}", "$defs": schema["$defs"]}
    return jsonschema_rs.validator_for(schema)


def check_shape(document: Document, part: str | None = None) -> Iterator[Problem]:
    """Yield the places where a document breaks the metaschema."""
    if not isinstance(document.value, dict):
        yield document.problem("", "WRONG_SHAPE", "the file must hold one JSON object")
        return
    for error in language_validator(part).iter_errors(document.value):
        yield from _explain(document, "", error, load_metaschema())


def check_source_keys(document: Document, at: str, source: Mapping[str, Any], schema: Schema) -> Iterator[Problem]:
    """Yield the places where a *source* breaks the *schema* of its kind."""
    for error in jsonschema_rs.validator_for(dict(schema)).iter_errors(source):
        yield from _explain(document, at, error, schema)


def _explain(document: Document, top: str, error: jsonschema_rs.ValidationError, root: Schema) -> Iterator[Problem]:
    """Yield one violation of the schema *root* as problems at the places to edit."""
    at = join_pointer(top, *error.instance_path)
    facts = error.kind.as_dict()
    match error.kind.name:
        case "additionalProperties":
            known = sorted(_parent_schema(error, root).get("properties", {}))
            for key in facts["unexpected"]:
                yield document.problem(join_pointer(at, key), *_unknown_key(key, known, error.schema_path), key=True)
        case "required":
            sentence = (
                f'the key "{facts["property"]}" is missing here{_key_description(error, facts["property"], root)}'
            )
            yield document.problem(at, "MISSING_KEY", sentence)
        case "propertyNames":
            inner = facts["error"]
            yield document.problem(
                join_pointer(at, inner.instance), "WRONG_NAME", _wrong_value_sentence(inner, root), key=True
            )
        case _:
            yield document.problem(at, "WRONG_SHAPE", _wrong_value_sentence(error, root))


def _unknown_key(key: str, known: list[str], schema_path: list[str | int]) -> tuple[str, str]:
    """Return the rule and the sentence for a key that the metaschema lacks."""
    if "Schema" in schema_path and key in UNSUPPORTED_KEYWORDS:
        return "KEYWORD_DROPPED", (
            f'"{key}" would be dropped silently by models or by hosts; '
            "write the schema out, or use a condition or a declared error instead"
        )
    if "Schema" in schema_path:
        return "UNKNOWN_KEYWORD", f'the keyword "{key}" is unknown; {suggest(key, known)}'
    return "UNKNOWN_KEY", f'the key "{key}" is unknown; {suggest(key, known)}'


def _parent_schema(error: jsonschema_rs.ValidationError, root: Schema) -> dict[str, Any]:
    """Return the part of the schema *root* that holds the broken keyword."""
    schema: Any = root
    for token in error.schema_path[:-1]:
        schema = schema[token]
    return schema if isinstance(schema, dict) else {}


def _key_description(error: jsonschema_rs.ValidationError, key: str, root: Schema) -> str:
    """Return the description of a missing key; empty where the schema *root* has none."""
    part = _parent_schema(error, root).get("properties", {}).get(key, {})
    name = part.get("$ref", "").rpartition("/")[2]
    description = part.get("description") or root.get("$defs", {}).get(name, {}).get("description", "")
    return f": {description[:1].lower()}{description[1:].rstrip('.')}" if description else ""


_NOT_BLANK = r"\S"
SENTENCES: dict[str, Callable[[dict[str, Any]], str]] = {
    "type": lambda facts: f"must be of type {' or '.join(facts['types'])}",
    "enum": lambda facts: f"must be one of {', '.join(map(json.dumps, facts['options']))}",
    "const": lambda facts: f"must be {json.dumps(facts['expected_value'])}",
    "pattern": lambda facts: (
        "must not be blank" if facts["pattern"] == _NOT_BLANK else f"must match {facts['pattern']}"
    ),
    "minItems": lambda facts: f"must have at least {facts['limit']} element(s)",
    "maxItems": lambda facts: f"must have at most {facts['limit']} element(s)",
    "minLength": lambda facts: f"must have at least {facts['limit']} character(s)",
    "maxLength": lambda facts: f"must have at most {facts['limit']} character(s)",
    "minimum": lambda facts: f"must be at least {facts['limit']}",
    "maximum": lambda facts: f"must be at most {facts['limit']}",
    "exclusiveMinimum": lambda facts: f"must be greater than {facts['limit']}",
    "uniqueItems": lambda facts: "must not hold the same element twice",
    "minProperties": lambda facts: "has too few members; see its description",
    "maxProperties": lambda facts: "has two members that exclude each other",
    "not": lambda facts: "has two members that exclude each other" if facts["schema"] else "must not be here",
    "oneOf": lambda facts: "has none of the allowed forms",
}


def _wrong_value_sentence(error: jsonschema_rs.ValidationError, root: Schema) -> str:
    """Return the sentence for a value of the wrong form."""
    facts = error.kind.as_dict()
    explain, keyword = SENTENCES.get(error.kind.name), error.kind.name
    sentence = explain(facts) if explain else f'breaks the keyword "{keyword}" of the schema of its kind'
    description = _parent_schema(error, root).get("description", "")
    if description and error.kind.name == "pattern" and facts["pattern"] != _NOT_BLANK:
        sentence = f"must be: {description[:1].lower()}{description[1:].rstrip('.')}"
        description = f"pattern {facts['pattern']}"
    shown = json.dumps(error.instance, ensure_ascii=False)
    found = f"{shown[:37]}..." if len(shown) > 40 else shown
    return f"{found} {sentence}" + (f" ({description.rstrip('.')})" if description else "")
