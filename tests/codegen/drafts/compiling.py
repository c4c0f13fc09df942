"""Compilation of drafts, and schemas to draft from."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from toolaccord_codegen.compiler import check_documents
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.drafts.contract import Draft, Identity
from toolaccord_codegen.drafts.server_listing import Listing, draft_listing
from toolaccord_codegen.loading.contracts import read_dialects
from toolaccord_codegen.loading.documents import OWN_DIALECTS
from toolaccord_codegen.loading.reading import parse_document
from toolaccord_codegen.loading.references import SchemaLibrary

BOOKS = Identity(system="acme", name="books")
KEYWORD_VALUES = {
    "type": st.sampled_from(
        ["object", "array", "string", "integer", "number", "boolean", "null", "any", ["string", "null"], ["foo"], []]
    ),
    "enum": st.lists(st.sampled_from([1, 1.0, True, None, "a", "", 2**70, [], {"a": 1}]), max_size=4),
    "const": st.sampled_from([1, "a", None, 2**70, {"b": []}]),
    "format": st.sampled_from(["date", "uri", "uint8", 7]),
    "pattern": st.sampled_from(["^a+$", r"\Aa\Z", "(?P<n>b)", "[", "(?i)a", r"\p{L}", 3, "^(?=a)a"]),
    "required": st.lists(st.sampled_from(["a", "b", "c", 1]), max_size=3) | st.booleans(),
    "default": st.sampled_from([None, 1, "a", [], {}, float("inf"), "\ud800"]),
    "examples": st.sampled_from([[1], "a"]),
    "example": st.sampled_from([1, None]),
    "title": st.sampled_from(["T", 1, ""]),
    "description": st.sampled_from(["D.", None, "\ud800"]),
    "uniqueItems": st.booleans(),
    "nullable": st.booleans(),
    "$schema": st.sampled_from(["http://json-schema.org/draft-07/schema#", "urn:x"]),
    "$ref": st.sampled_from(
        [
            "#/$defs/A",
            "#/$defs/B",
            "#/definitions/A",
            "#",
            "#/properties/a",
            "#anchor",
            "other.json",
            "#/$defs/A/properties/a",
            1,
        ]
    ),
    "x-unit": st.sampled_from(["s", 5]),
    "x-note": st.sampled_from([1, {"a": 2**70}]),
    "deprecated": st.booleans(),
    "contentEncoding": st.just("base64"),
    "multipleOf": st.sampled_from([2, 0.5, 0, -1, 2**80]),
    "additionalItems": st.booleans(),
    "strange": st.just(1),
} | {
    key: st.sampled_from([0, 1, 2, 3.0, -1, 2**64, 1e308, "1", True, False])
    for key in (
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "minContains",
    )
}
"""Values of keywords without schemas, valid and invalid ones."""
ONE = (
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "items",
)
MANY = ("allOf", "anyOf", "oneOf", "prefixItems")
NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")


def extend(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return schemas with schemas inside them."""
    some = inner | st.booleans() | st.none()
    named = st.dictionaries(
        st.sampled_from(["a", "b", "A", "B", "class", "", "a b", "$ref", "model_config"]), some, max_size=3
    )
    several = st.lists(some, max_size=3)
    nested = dict.fromkeys(ONE, some) | dict.fromkeys(MANY, several) | dict.fromkeys(NAMED, named)
    nested["items"] = some | several
    return st.fixed_dictionaries({}, optional={**KEYWORD_VALUES, **nested})


SCHEMAS = st.recursive(st.fixed_dictionaries({}, optional=KEYWORD_VALUES), extend, max_leaves=8)


def draft_tool(parameters: Any, returns: Any = None) -> Draft:
    """Return the draft of a server with one tool."""
    tool = {"name": "search", "inputSchema": parameters} | ({} if returns is None else {"outputSchema": returns})
    listing = Listing(server={"version": "1.0.0"}, tools=[tool], resources=[], templates=[], prompts=[])
    return draft_listing(listing, BOOKS)


def compile_draft(draft: Draft) -> list[Problem]:
    """Return the problems of a draft as a file of its own."""
    problems: list[Problem] = []
    text = json.dumps(draft.contract, ensure_ascii=False)
    document = parse_document(text, "acme/books.json", "books.json", problems)
    if document is None or problems:
        return problems
    own = parse_document(OWN_DIALECTS.read_text(encoding="utf-8"), "dialects.json", "dialects.json", problems)
    dialects = read_dialects(own) if own else {}
    return check_documents(SchemaLibrary({document.name: document}), [], [document], dialects)
