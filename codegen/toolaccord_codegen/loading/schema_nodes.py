"""Places in contracts, and schemas that know the place of each keyword."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from toolaccord.semantics.formats import is_annotation
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Position
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.json_equality import SameValue
from toolaccord_codegen.loading.records import Record, read_incomplete
from toolaccord_codegen.loading.references import (
    DEEPEST,
    UNIONS,
    DanglingReference,
    SchemaLibrary,
    as_array,
    as_object,
    convert_children,
)

Schema = Mapping[str, Any]
CONSTRAINTS = frozenset(
    [
        "type", "enum", "const", "format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
        "multipleOf", "properties", "required", "additionalProperties", "items", "minItems", "maxItems", "anyOf", "oneOf", "not",
        "propertyNames",
    ]
)  # fmt: skip
"""Keywords that decide whether a value is valid."""
UNCHECKED_FORMAT = "format, unchecked"
"""Stands for the keyword `format` with a value that is an annotation."""
ANNOTATIONS = frozenset(
    {"title", "description", "default", "examples", "x-unit", "x-extensible-enum", "x-unknown", UNCHECKED_FORMAT}
)
"""Keywords that describe values."""


@dataclass(frozen=True, slots=True)
class Place:
    """A value in a contract, or its key."""

    document: Document
    pointer: str
    key: bool = False

    def at(self, *tokens: str | int) -> Place:
        """Return a place below this one."""
        return Place(self.document, join_pointer(self.pointer, *tokens), self.key)

    @property
    def position(self) -> Position:
        """Return its file, line and column; the nearest parent's where nothing is there."""
        return Position(self.document.display_path, *self.document.position(self.pointer, key=self.key))

    @property
    def value(self) -> Any:
        """Return the value at this place; None without one."""
        try:
            return self.document.value_at(self.pointer)
        except LookupError:
            return None

    def key_place(self) -> Place:
        """Return the key of the value at this place."""
        return Place(self.document, self.pointer, key=True)


@dataclass(frozen=True)
class SchemaNode:
    """A schema as written: its own keywords, then those of the schemas behind its `$ref`."""

    library: SchemaLibrary
    layers: tuple[tuple[Place, Schema], ...]
    parent: tuple[SchemaNode, tuple[str | int, ...]] | None = None
    """The schema that contains it, and the tokens from there."""

    @classmethod
    def of(
        cls,
        library: SchemaLibrary,
        place: Place,
        schema: Any,
        parent: tuple[SchemaNode, tuple[str | int, ...]] | None = None,
    ) -> SchemaNode:
        """Return the node of a schema at a place; dangling references add nothing."""
        return cls(library, tuple(_resolve_layers(library, place, as_object(schema))), parent)

    @property
    def place(self) -> Place:
        """Return the place of the schema."""
        return self.layers[0][0]

    @property
    def target(self) -> Place:
        """Return the place of the schema behind the last `$ref`."""
        return self.layers[-1][0]

    @cached_property
    def keywords(self) -> dict[str, Any]:
        """Return every keyword; references below stay as written."""
        return {key: value for _, schema in reversed(self.layers) for key, value in schema.items() if key != "$ref"}

    @cached_property
    def inlined(self) -> dict[str, Any]:
        """Return the schema with every reference inlined and unknown keywords removed."""
        if self.parent:
            return as_object(_follow_path(self.parent[0].inlined, self.parent[1]))
        place, schema = self.layers[0]
        return select_keywords(self.library.inline(place.document, schema), CONSTRAINTS | ANNOTATIONS)

    @cached_property
    def constraints(self) -> dict[str, Any]:
        """Return the schema as a validator sees it: references inlined, annotations removed."""
        return (
            as_object(_follow_path(self.parent[0].constraints, self.parent[1]))
            if self.parent
            else select_keywords(self.inlined)
        )

    def keyword_place(self, *keys: str) -> Place:
        """Return the place of the first of some keywords, else of the schema that would have it."""
        for key in keys:
            for place, schema in self.layers:
                if key in schema:
                    return place.at(key)
        return self.target

    def child(self, *tokens: str | int) -> SchemaNode:
        """Return the schema below a keyword; one that admits every value where there is none."""
        for place, schema in self.layers:
            found = _follow_path(schema, tokens)
            if isinstance(found, dict):
                return SchemaNode.of(self.library, place.at(*tokens), found, (self, tokens))
        return SchemaNode(self.library, ((self.keyword_place(str(tokens[0])), {}),))

    def names(self) -> SchemaNode:
        """Return the schema of the names of an object's members."""
        place, schema = self.keyword_place("propertyNames"), as_object(self.value("propertyNames"))
        return SchemaNode.of(self.library, place, {"type": "string", **schema})

    def value(self, keyword: str) -> Any:
        """Return the value of a keyword; None without one."""
        return self.keywords.get(keyword)

    def format(self, *, checked: bool) -> str | None:
        """Return the format of texts if it is a checked one, or if it is not; else None."""
        found = self.value("format")
        return None if found is None or is_annotation("format", found) is checked else str(found)

    @property
    def properties(self) -> list[str]:
        """Return the names of the members."""
        return list(as_object(self.keywords.get("properties")))

    @property
    def required(self) -> list[str]:
        """Return the names of the required members."""
        return [name for name in as_array(self.keywords.get("required")) if isinstance(name, str)]

    @property
    def is_closed(self) -> bool:
        """Return True where unknown members are rejected."""
        return self.keywords.get("additionalProperties") is False

    @property
    def is_map(self) -> bool:
        """Return True where unknown members have a schema."""
        others = self.keywords.get("additionalProperties")
        return isinstance(others, dict) and bool(others)

    @cached_property
    def branches(self) -> list[tuple[tuple[str | int, ...], SchemaNode]]:
        """Return the alternatives of a union with their tokens.

        A schema that is no union is its only alternative.
        """
        found = [
            ((key, index), self.child(key, index))
            for key in UNIONS
            for index in range(len(as_array(self.keywords.get(key))))
        ]
        return [*found] or [((), self)]


@dataclass(frozen=True, slots=True)
class ContractValue:
    """A value of a contract and its place."""

    library: SchemaLibrary
    place: Place
    value: Any

    def at(self, *keys: str) -> ContractValue:
        """Return the value below some keys with its place; None as value where there is none."""
        return ContractValue(self.library, self.place.at(*keys), self.value_at(*keys))

    def value_at(self, *keys: str) -> Any:
        """Return the value below some keys; None where there is none."""
        value = self.value
        for key in keys:
            value = as_object(value).get(key)
        return value

    def read(self, record: type[Record]) -> Record:
        """Return the value as a record of the language, with empty values where keys are missing."""
        return _read_once(record, SameValue(self.value))  # type: ignore[return-value, arg-type] # a class is hashable

    def items(self, key: str) -> dict[str, ContractValue]:
        """Return the members of an object below a key, by name and in their order."""
        return {name: self.at(key, name) for name in as_object(as_object(self.value).get(key))}

    def listed(self, key: str) -> list[ContractValue]:
        """Return the elements of an array below a key."""
        found = as_object(self.value).get(key)
        below = self.place.at(key)
        return [
            ContractValue(self.library, below.at(n), part)
            for n, part in enumerate(found if isinstance(found, list) else [])
        ]

    def listed_by(self, key: str, member: str) -> dict[str, ContractValue]:
        """Return the elements of an array below a key by the text of one of their members."""
        return {str(as_object(part.value).get(member)): part for part in self.listed(key)}

    def node(self, key: str) -> SchemaNode:
        """Return the schema below a key."""
        return SchemaNode.of(self.library, self.place.at(key), as_object(self.value).get(key))


@lru_cache(maxsize=256)
def _read_once(record: type, same: SameValue) -> object:
    """Return the record of a value, which each comparison of a tool needs."""
    return read_incomplete(record, same.value)


def _resolve_layers(library: SchemaLibrary, place: Place, schema: Schema) -> Iterator[tuple[Place, Schema]]:
    """Yield a schema and the schemas that its references lead to, one after another."""
    for _ in range(DEEPEST):
        yield place, schema
        if not isinstance(schema.get("$ref"), str):
            return
        try:
            target = library.target(place.document, schema["$ref"])
        except DanglingReference:
            return
        place, schema = Place(target.document, target.pointer), target.schema


def _follow_path(schema: Any, tokens: tuple[str | int, ...]) -> Any:
    """Return the value at the end of some tokens; None without one."""
    for token in tokens:
        if isinstance(token, str):
            schema = as_object(schema).get(token)
        else:
            schema = dict(enumerate(as_array(schema))).get(token)
    return schema


def select_keywords(schema: Any, keywords: Collection[str] = CONSTRAINTS) -> dict[str, Any]:
    """Return a schema, and the schemas inside it, with the given keywords only."""

    def select(part: Any) -> dict[str, Any]:
        return select_keywords(part, keywords)

    return {
        key: convert_children(key, value, select)
        for key, value in as_object(schema).items()
        if (UNCHECKED_FORMAT if is_annotation(key, value) else key) in keywords
    }
