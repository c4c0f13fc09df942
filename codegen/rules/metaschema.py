"""The contract language itself: contract.schema.json, and what a file that breaks it is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import jsonschema_rs

from codegen.diagnostics import Problem, suggest
from codegen.loading.documents import OWN_CONTRACTS, Document, join_pointer

UNSUPPORTED_KEYWORDS = frozenset(
    [
        "allOf",
        "not",
        "if",
        "then",
        "else",
        "dependentRequired",
        "dependentSchemas",
        "dependencies",
        "uniqueItems",
        "minProperties",
        "maxProperties",
        "patternProperties",
        "propertyNames",
        "contains",
        "minContains",
        "maxContains",
        "prefixItems",
        "additionalItems",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "$anchor",
        "$dynamicRef",
        "$dynamicAnchor",
        "$recursiveRef",
        "$id",
        "$defs",
        "definitions",
    ]
)
"""Keywords of JSON Schema that a Pydantic model, or some host, would silently drop."""


@cache
def load_metaschema() -> dict[str, Any]:
    """The schema of contracts, with the schemas of dialects.json and shared.json among its `$defs`."""
    loaded: dict[str, Any] = json.loads((OWN_CONTRACTS / "contract.schema.json").read_text(encoding="utf-8"))
    return loaded


@cache
def language_validator(part: str | None) -> jsonschema_rs.Validator:
    """A validator for contracts, or for one of the `$defs`."""
    schema = load_metaschema()
    if part:
        schema = {"$schema": schema["$schema"], "$ref": f"#/$defs/{part}", "$defs": schema["$defs"]}
    return jsonschema_rs.validator_for(schema)


def check_shape(document: Document, part: str | None = None) -> Iterator[Problem]:
    """Where a document breaks the contract language."""
    if not isinstance(document.value, dict):
        yield document.problem("", "WRONG_SHAPE", "the file must hold one JSON object")
        return
    for error in language_validator(part).iter_errors(document.value):
        yield from _explain(document, error)


def _explain(document: Document, error: jsonschema_rs.ValidationError) -> Iterator[Problem]:
    """One violation as problems at the places that its author must edit."""
    at = join_pointer("", *error.instance_path)
    facts = error.kind.as_dict()
    match error.kind.name:
        case "additionalProperties":
            known = sorted(_parent_schema(error).get("properties", {}))
            for key in facts["unexpected"]:
                yield document.problem(join_pointer(at, key), *_unknown_key(key, known, error.schema_path), key=True)
        case "required":
            sentence = f'the key "{facts["property"]}" is missing here{_key_description(error, facts["property"])}'
            yield document.problem(at, "MISSING_KEY", sentence)
        case "propertyNames":
            inner = facts["error"]
            yield document.problem(
                join_pointer(at, inner.instance), "WRONG_NAME", _wrong_value_sentence(inner), key=True
            )
        case _:
            yield document.problem(at, "WRONG_SHAPE", _wrong_value_sentence(error))


def _unknown_key(key: str, known: list[str], schema_path: list[str | int]) -> tuple[str, str]:
    """The rule and the sentence for a key that the language does not have."""
    if "Schema" in schema_path and key in UNSUPPORTED_KEYWORDS:
        return "KEYWORD_DROPPED", (
            f'"{key}" would be dropped by the models or by hosts without a word; '
            "write the schema out, or use a condition or a declared error instead"
        )
    return "UNKNOWN_KEY", f'the key "{key}" is unknown; {suggest(key, known)}'


def _parent_schema(error: jsonschema_rs.ValidationError) -> dict[str, Any]:
    """The part of the language that holds the keyword that was broken."""
    schema: Any = load_metaschema()
    for token in error.schema_path[:-1]:
        schema = schema[token]
    return schema if isinstance(schema, dict) else {}


def _key_description(error: jsonschema_rs.ValidationError, key: str) -> str:
    """What a missing key would say, where the language explains it."""
    part = _parent_schema(error).get("properties", {}).get(key, {})
    name = part.get("$ref", "").rpartition("/")[2]
    description = part.get("description") or load_metaschema()["$defs"].get(name, {}).get("description", "")
    return f": {description[:1].lower()}{description[1:].rstrip('.')}" if description else ""


SENTENCES: dict[str, Callable[[dict[str, Any]], str]] = {
    "type": lambda facts: f"must be of type {' or '.join(facts['types'])}",
    "enum": lambda facts: f"must be one of {', '.join(map(json.dumps, facts['options']))}",
    "const": lambda facts: f"must be {json.dumps(facts['expected_value'])}",
    "pattern": lambda facts: "must not be blank" if facts["pattern"] == r"\S" else f"must match {facts['pattern']}",
    "minItems": lambda facts: f"must have at least {facts['limit']} element(s)",
    "maxItems": lambda facts: f"must have at most {facts['limit']} element(s)",
    "minLength": lambda facts: f"must have at least {facts['limit']} character(s)",
    "maxLength": lambda facts: f"must have at most {facts['limit']} character(s)",
    "minimum": lambda facts: f"must be at least {facts['limit']}",
    "maximum": lambda facts: f"must be at most {facts['limit']}",
    "exclusiveMinimum": lambda facts: f"must be greater than {facts['limit']}",
    "uniqueItems": lambda facts: "must not hold the same element twice",
    "minProperties": lambda facts: "says too little; see its description",
    "maxProperties": lambda facts: "says two things of which only one can hold",
    "not": lambda facts: "says two things of which only one can hold",
    "anyOf": lambda facts: "has none of the forms that are allowed",
}


def _wrong_value_sentence(error: jsonschema_rs.ValidationError) -> str:
    """A sentence for a value that has not the form asked for."""
    sentence = SENTENCES[error.kind.name](error.kind.as_dict())
    holder = _parent_schema(error)
    description = holder.get("description", "")
    shown = json.dumps(error.instance, ensure_ascii=False)
    found = f"{shown[:37]}..." if len(shown) > 40 else shown
    return f"{found} {sentence}" + (f" ({description.rstrip('.')})" if description else "")
