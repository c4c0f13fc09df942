"""Rules for events in S-expressions: no payload can add a key, or end a string or a symbol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from codegen.diagnostics import Problem
from codegen.loading.documents import Document
from codegen.loading.references import SchemaLibrary, as_array, as_object
from toolpact.semantics.json_pointers import join_pointer, split_pointer
from toolpact.semantics.s_expressions import is_key, is_symbol
from toolpact.semantics.version_steps import EACH

SCALARS = frozenset({"string", "integer", "number", "boolean"})
UNIONS = ("anyOf", "oneOf")


@dataclass(frozen=True, slots=True)
class _Place:
    """A schema and the place where it is written."""

    document: Document
    pointer: str
    schema: Mapping[str, Any]

    def below(self, *keys: str | int) -> _Place:
        """Return the place of a schema inside this one."""
        schema: Any = self.schema
        for key in keys:
            schema = schema[key]
        return _Place(self.document, join_pointer(self.pointer, *keys), as_object(schema))


def check_s_expressions(library: SchemaLibrary, document: Document) -> Iterator[Problem]:
    """Yield payloads without an S-expression, and symbols that lead to other values."""
    for name, event in as_object(as_object(document.value).get("events")).items():
        at, payload = join_pointer("/events", name), as_object(as_object(event).get("payload"))
        if as_object(event).get("encoding") != "s_expression":
            if "symbols" in as_object(event):
                sentence = 'symbols belong to the encoding "s_expression"; remove them'
                yield document.problem(f"{at}/symbols", "SYMBOL_INVALID", sentence, key=True)
        elif library.is_resolvable(document, payload):
            root = _Place(document, f"{at}/payload", payload)
            yield from dict.fromkeys(_check_schema(library, root, f'the S-expression of the event "{name}"'))
            yield from _check_symbols(library, root, at, as_array(event.get("symbols")))


def _forms(library: SchemaLibrary, place: _Place) -> Iterator[_Place]:
    """Yield the schema itself, or the branches of a union: each value fulfils one of them."""
    while "$ref" in place.schema:
        target = library.target(place.document, place.schema["$ref"])
        place = _Place(target.document, target.pointer, target.schema)
    union = next((key for key in UNIONS if key in place.schema), None)
    if union is None or not place.schema.keys().isdisjoint({"type", "const", "enum"}):
        yield place
        return
    for index in range(len(as_array(place.schema[union]))):
        yield from _forms(library, place.below(union, index))


def _check_schema(library: SchemaLibrary, place: _Place, noun: str) -> Iterator[Problem]:
    """Yield values that a schema admits and an S-expression cannot hold."""
    for form in _forms(library, place):
        kind = form.schema.get("type")
        if kind == "object":
            yield from _check_object(library, form, noun)
        elif kind == "array" and "items" in form.schema:
            yield from _check_schema(library, form.below("items"), noun)
        elif kind == "array":
            yield _problem(form, f'an array in {noun} needs "items"; add them')
        elif not (isinstance(kind, str) and kind in SCALARS) and not (kind is None and _enumerates_scalars(form)):
            sentence = f'a value in {noun} needs one "type", and not null; an optional member is left out instead'
            yield _problem(form, sentence)


def _check_object(library: SchemaLibrary, place: _Place, noun: str) -> Iterator[Problem]:
    """Yield an open object, and members whose names are no keys."""
    if place.schema.get("additionalProperties") is not False:
        yield _problem(place, f'an object in {noun} needs "additionalProperties": false, or callers could add keys')
    for name in as_object(place.schema.get("properties")):
        member = place.below("properties", name)
        if not is_key(name):
            sentence = f'"{name}" is no key for {noun}; use lower-case letters, digits and "_"'
            yield place.document.problem(member.pointer, "S_EXPRESSION_KEY", sentence, key=True)
        yield from _check_schema(library, member, noun)


def _check_symbols(library: SchemaLibrary, root: _Place, at: str, symbols: list[Any]) -> Iterator[Problem]:
    """Yield pointers that lead to other values than listed words."""
    for index, symbol in enumerate(symbols):
        found = [root]
        for token in split_pointer(str(symbol)):
            found = [inner for place in found for form in _forms(library, place) for inner in _step(form, token)]
        forms = [form for place in found for form in _forms(library, place)]
        if not forms or not all(map(_is_symbolic, forms)):
            sentence = (
                f'"{symbol}" leads to no enum or const of symbols in the payload; a symbol has lower-case letters, digits and "-", '
                "and is no word with a meaning of its own, such as nil or t"
            )
            yield root.document.problem(join_pointer(at, "symbols", index), "SYMBOL_INVALID", sentence)


def _step(place: _Place, token: str) -> Iterator[_Place]:
    """Yield the schema of a member or of the items."""
    if token in as_object(place.schema.get("properties")):
        yield place.below("properties", token)
    elif token == EACH and "items" in place.schema:
        yield place.below("items")


def _listed(place: _Place) -> list[Any]:
    """Return the values of an enum or const; none where there is neither."""
    return [place.schema["const"]] if "const" in place.schema else as_array(place.schema.get("enum"))


def _is_symbolic(place: _Place) -> bool:
    listed = _listed(place)
    return bool(listed) and all(isinstance(value, str) and is_symbol(value) for value in listed)


def _enumerates_scalars(place: _Place) -> bool:
    listed = _listed(place)
    return bool(listed) and all(isinstance(value, str | int | float) for value in listed)


def _problem(place: _Place, sentence: str) -> Problem:
    return place.document.problem(place.pointer, "S_EXPRESSION_SCHEMA", sentence)
