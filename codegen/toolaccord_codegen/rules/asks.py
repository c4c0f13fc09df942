"""Rules for asks, and for the tools, resources and prompts that ask."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord.contract.asks import Elicitation, Roots, Sampling
from toolaccord.contract.prompts import Prompt
from toolaccord.contract.server_contracts import ServerContract
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.ir.tool import Schema
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import SchemaLibrary, as_array, as_object
from toolaccord_codegen.naming import describe_reserved
from toolaccord_codegen.rules.tool_view import list_owners, place_items

PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
"""A placeholder in the message of an ask."""
TAKEN_NAMES = frozenset({"supports", "self"})
"""Names that `call.ask` has, or needs."""
SCALARS = frozenset({"string", "integer", "number", "boolean"})
FORMATS = frozenset({"date", "date-time", "email", "uri"})
"""Formats of the language that MCP admits in a form."""


def check_asks(library: SchemaLibrary, document: Document, contract: ServerContract) -> Iterator[Problem]:
    """Yield asks that no caller could be asked, and those that tools and others ask in vain."""
    for ask in contract.asks:
        at = join_pointer("/asks", ask.name)
        if ask.name in TAKEN_NAMES or keyword.iskeyword(ask.name):
            sentence = f"{describe_reserved(ask.name)}; give the ask another name"
            yield document.problem(at, "RESERVED_NAME", sentence, key=True)
        if not isinstance(ask, Roots):
            yield from _check_placeholders(document, at, ask)
        if isinstance(ask, Elicitation):
            yield from _check_form(library, document, f"{at}/schema", ask.schema)
    yield from _check_askers(document, contract)


def _check_askers(document: Document, contract: ServerContract) -> Iterator[Problem]:
    """Yield unknown asks, and a cache of results that depend on answers."""
    known = [ask.name for ask in contract.asks]
    for at, owner in list_owners(contract):
        for place, name in place_items(f"{at}/asks", owner.asks):
            if name not in known:
                sentence = f'"{name}" is not among the asks; {suggest(name, known)}'
                yield document.problem(place, "ASK_UNKNOWN", sentence)
        if owner.asks and not isinstance(owner, Prompt) and owner.cache:
            sentence = "a result that depends on an answer cannot be cached for others; remove the cache, or the asks"
            yield document.problem(f"{at}/cache", "ASK_CACHED", sentence, key=True)


def _check_placeholders(document: Document, at: str, ask: Elicitation | Sampling) -> Iterator[Problem]:
    """Yield placeholders without a type, and types without a placeholder."""
    names = dict.fromkeys(PLACEHOLDER.findall(ask.message))
    for name in [each for each in names if each not in ask.parameters]:
        sentence = f'{{{name}}} has no type; add "{name}" to "parameters"'
        yield document.problem(f"{at}/message", "ASK_PARAMETER", sentence)
    for name in [each for each in ask.parameters if each not in names or keyword.iskeyword(each)]:
        sentence = f"the message does not have {{{name}}}, or Python reserves the name; remove it"
        yield document.problem(join_pointer(at, "parameters", name), "ASK_PARAMETER", sentence, key=True)


def _check_form(library: SchemaLibrary, document: Document, at: str, schema: Schema) -> Iterator[Problem]:
    """Yield parts of a form that MCP does not admit."""
    form = library.inline(document, schema)
    members = as_object(form.get("properties"))
    if form.get("type") != "object" or not members:
        yield document.problem(at, "ASK_FORM", 'a form has "type": "object" and "properties"')
        return
    for name, member in members.items():
        if not _is_field(as_object(member)):
            sentence = (
                f"MCP has no such field; make {name} a string, a number, an integer, a boolean, "
                'a choice ("enum" of strings, or "oneOf" with "const" and "title"), or an array of choices'
            )
            yield document.problem(join_pointer(at, "properties", name), "ASK_FORM", sentence)


def _is_field(member: Mapping[str, Any]) -> bool:
    """Return True if MCP admits a member of a form."""
    if member.get("type") == "array":
        return _is_choice(as_object(member.get("items")), "anyOf")
    if member.keys() & {"enum", "oneOf", "anyOf", "const"}:
        return _is_choice(member, "oneOf")
    return member.get("type") in SCALARS and member.get("format", "date") in FORMATS and "pattern" not in member


def _is_choice(schema: Mapping[str, Any], union: str) -> bool:
    """Return True for an enum of strings, or a union of titled constants."""
    if "const" in schema or schema.get("type", "string" if union == "anyOf" else None) != "string":
        return False
    listed = as_array(schema.get("enum"))
    titled = as_array(schema.get(union))
    options = [*(isinstance(each, str) for each in listed), *(_is_titled(as_object(each)) for each in titled)]
    return bool(options) and all(options)


def _is_titled(schema: Mapping[str, Any]) -> bool:
    return schema.keys() == {"const", "title"} and isinstance(schema["const"], str)
