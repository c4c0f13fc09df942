"""Rules for asks, and for the tools, resources and prompts that ask."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import SchemaLibrary, as_array, as_object, list_items
from toolaccord_codegen.naming import describe_reserved

PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
"""A placeholder in the message of an ask."""
TAKEN_NAMES = frozenset({"supports", "self"})
"""Names that `call.ask` has, or needs."""
ASKERS = ("tools", "resources", "prompts")
"""Keys of those that may ask."""
SCALARS = frozenset({"string", "integer", "number", "boolean"})
FORMATS = frozenset({"date", "date-time", "email", "uri"})
"""Formats of the language that MCP admits in a form."""


def check_asks(library: SchemaLibrary, document: Document) -> Iterator[Problem]:
    """Yield asks that no caller could be asked, and those that tools and others ask in vain."""
    contract = as_object(document.value)
    asks = as_object(contract.get("asks"))
    for name, ask in asks.items():
        at = join_pointer("/asks", name)
        if name in TAKEN_NAMES or keyword.iskeyword(name):
            yield document.problem(
                at, "RESERVED_NAME", f"{describe_reserved(name)}; give the ask another name", key=True
            )
        yield from _check_placeholders(document, at, as_object(ask))
        if "schema" in as_object(ask):
            yield from _check_form(library, document, f"{at}/schema", ask["schema"])
    for key in ASKERS:
        for at, asker in list_items(contract, key):
            yield from _check_asker(document, at, asker, asks)


def _check_placeholders(document: Document, at: str, ask: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield placeholders without a type, and types without a placeholder."""
    message, parameters = ask.get("message"), as_object(ask.get("parameters"))
    names = dict.fromkeys(PLACEHOLDER.findall(message)) if isinstance(message, str) else {}
    for name in [each for each in names if each not in parameters]:
        sentence = f'{{{name}}} has no type; add "{name}" to "parameters"'
        yield document.problem(f"{at}/message", "ASK_PARAMETER", sentence)
    for name in [each for each in parameters if each not in names or keyword.iskeyword(each)]:
        sentence = f"the message does not have {{{name}}}, or Python reserves the name; remove it"
        yield document.problem(join_pointer(at, "parameters", name), "ASK_PARAMETER", sentence, key=True)


def _check_form(library: SchemaLibrary, document: Document, at: str, schema: Any) -> Iterator[Problem]:
    """Yield parts of a form that MCP does not admit."""
    try:
        form = as_object(library.inline(document, schema))
    except (LookupError, ValueError, RecursionError):
        return  # another rule reports references that cannot be resolved
    if form.get("type") != "object" or not as_object(form.get("properties")):
        yield document.problem(at, "ASK_FORM", 'a form has "type": "object" and "properties"')
        return
    for name, member in as_object(form.get("properties")).items():
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


def _check_asker(document: Document, at: str, asker: Mapping[str, Any], asks: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield unknown asks of a tool or another, and a cache of results that depend on answers."""
    for index, name in enumerate(as_array(asker.get("asks"))):
        if isinstance(name, str) and name not in asks:
            sentence = f'"{name}" is not among the asks; {suggest(name, asks)}'
            yield document.problem(join_pointer(at, "asks", index), "ASK_UNKNOWN", sentence)
    if "asks" in asker and "cache" in asker:
        sentence = "a result that depends on an answer cannot be cached for others; remove the cache, or the asks"
        yield document.problem(f"{at}/cache", "ASK_CACHED", sentence, key=True)
