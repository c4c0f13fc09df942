"""Rules for events in S-expressions: no payload can add a key, or end a string or a symbol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer, split_pointer
from toolaccord.semantics.s_expressions import is_key, is_symbol
from toolaccord.semantics.version_steps import EACH
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.contracts import AnyContract
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import SchemaLibrary, as_array
from toolaccord_codegen.loading.schema_nodes import Place, SchemaNode

SCALARS = ("string", "integer", "number", "boolean")


def check_s_expressions(library: SchemaLibrary, document: Document, contract: AnyContract) -> Iterator[Problem]:
    """Yield payloads without an S-expression, and symbols that lead to other values."""
    for event in contract.events:
        at = join_pointer("/events", event.name)
        if event.encoding != "s_expression":
            if event.symbols:
                sentence = 'symbols belong to the encoding "s_expression"; remove them'
                yield document.problem(f"{at}/symbols", "SYMBOL_INVALID", sentence, key=True)
        elif library.is_resolvable(document, event.payload):
            root = SchemaNode.of(library, Place(document, f"{at}/payload"), event.payload)
            yield from dict.fromkeys(_check_schema(root, f'the S-expression of the event "{event.name}"'))
            yield from _check_symbols(root, document, at, event.symbols)


def _forms(node: SchemaNode) -> Iterator[SchemaNode]:
    """Yield the schema itself, or the branches of a union: each value fulfils one of them."""
    is_union = node.keywords.keys().isdisjoint({"type", "const", "enum"})
    for path, branch in node.branches if is_union else ():
        yield from _forms(branch) if path else (node,)
    if not is_union:
        yield node


def _check_schema(schema: SchemaNode, noun: str) -> Iterator[Problem]:
    """Yield values that a schema admits and an S-expression cannot hold."""
    for form in _forms(schema):
        kind = form.value("type")
        if kind == "object":
            yield from _check_object(form, noun)
        elif kind == "array" and "items" in form.keywords:
            yield from _check_schema(form.child("items"), noun)
        elif kind == "array":
            yield _problem(form, f'an array in {noun} needs "items"; add them')
        elif kind not in SCALARS and (kind is not None or not _lists(form, str | int | float)):
            sentence = f'a value in {noun} needs one "type", and not null; an optional member is left out instead'
            yield _problem(form, sentence)


def _check_object(schema: SchemaNode, noun: str) -> Iterator[Problem]:
    """Yield an open object, and members whose names are no keys."""
    if not schema.is_closed:
        yield _problem(schema, f'an object in {noun} needs "additionalProperties": false, or callers could add keys')
    for name in schema.properties:
        member = schema.child("properties", name)
        if not is_key(name):
            sentence = f'"{name}" is no key for {noun}; use lower-case letters, digits and "_"'
            yield member.place.document.problem(member.place.pointer, "S_EXPRESSION_KEY", sentence, key=True)
        yield from _check_schema(member, noun)


def _check_symbols(root: SchemaNode, document: Document, at: str, symbols: Sequence[str]) -> Iterator[Problem]:
    """Yield pointers that lead to other values than listed symbols."""
    for index, symbol in enumerate(symbols):
        found = list(_forms(root))
        for token in split_pointer(symbol):
            found = [form for schema in found for inner in _step(schema, token) for form in _forms(inner)]
        if not found or not all(_lists(form, str) and all(map(is_symbol, _listed(form))) for form in found):
            sentence = (
                f'"{symbol}" leads to no enum or const of symbols in the payload; a symbol has lower-case letters, digits and "-", '
                "and is no word with a meaning of its own, such as nil or t"
            )
            yield document.problem(join_pointer(at, "symbols", index), "SYMBOL_INVALID", sentence)


def _step(schema: SchemaNode, token: str) -> Iterator[SchemaNode]:
    """Yield the schema of a member or of the items."""
    if token in schema.properties:
        yield schema.child("properties", token)
    elif token == EACH and "items" in schema.keywords:
        yield schema.child("items")


def _listed(schema: SchemaNode) -> list[Any]:
    """Return the values of a const or enum; none where there is neither."""
    return [schema.value("const")] if "const" in schema.keywords else as_array(schema.value("enum"))


def _lists(schema: SchemaNode, kind: Any) -> bool:
    """Return True where a const or enum lists values of a type only."""
    return bool(_listed(schema)) and all(isinstance(value, kind) for value in _listed(schema))


def _problem(schema: SchemaNode, sentence: str) -> Problem:
    return schema.target.document.problem(schema.target.pointer, "S_EXPRESSION_SCHEMA", sentence)
