"""Places in contracts, and schemas that know where each of their keywords stands."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from codegen.loading.documents import Document, join_pointer
from codegen.loading.references import DEEPEST, DanglingReference, SchemaLibrary, as_array, as_object

Schema = Mapping[str, Any]
UNIONS = ("anyOf", "oneOf")
CONSTRAINTS = frozenset(
    [
        "type", "enum", "const", "format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
        "multipleOf", "properties", "required", "additionalProperties", "items", "minItems", "maxItems", "anyOf", "oneOf", "not",
    ]
)  # fmt: skip
"""Keywords that admit and refuse values."""
ANNOTATIONS = frozenset({"title", "description", "default", "examples"})
"""Keywords that say something about values."""


class Position(NamedTuple):
    """Where something stands, as editors and terminals open it."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Place:
    """A value in a contract, or its key."""

    document: Document
    pointer: str
    key: bool = False

    def at(self, *tokens: str | int) -> Place:
        """A place below this one."""
        return Place(self.document, join_pointer(self.pointer, *tokens), self.key)

    @property
    def position(self) -> Position:
        """Its file, line and column; its nearest parent's where there is nothing."""
        return Position(self.document.display_path, *self.document.position(self.pointer, key=self.key))

    @property
    def value(self) -> Any:
        """What stands there; None where there is nothing."""
        try:
            return self.document.value_at(self.pointer)
        except LookupError:
            return None

    def named(self) -> Place:
        """The key of the value at this place."""
        return Place(self.document, self.pointer, key=True)


@dataclass(frozen=True)
class SchemaNode:
    """A schema as it is written: its own keywords, then those of the schemas that its `$ref` leads to."""

    library: SchemaLibrary
    layers: tuple[tuple[Place, Schema], ...]
    above: tuple[SchemaNode, tuple[str | int, ...]] | None = None
    """The schema that it is inside of, and the way from there."""

    @classmethod
    def of(
        cls,
        library: SchemaLibrary,
        place: Place,
        schema: Any,
        above: tuple[SchemaNode, tuple[str | int, ...]] | None = None,
    ) -> SchemaNode:
        """The node of a schema at a place; references that lead nowhere add nothing."""
        return cls(library, tuple(_resolve_layers(library, place, as_object(schema))), above)

    @property
    def place(self) -> Place:
        """Where the schema stands."""
        return self.layers[0][0]

    @property
    def target(self) -> Place:
        """Where the schema stands that the last `$ref` leads to."""
        return self.layers[-1][0]

    @cached_property
    def known(self) -> dict[str, Any]:
        """Every keyword, with references below as they are written."""
        return {key: value for _, schema in reversed(self.layers) for key, value in schema.items() if key != "$ref"}

    @cached_property
    def whole(self) -> dict[str, Any]:
        """The schema with every reference written out, and without keywords that the language does not have."""
        if self.above:
            return as_object(follow_path(self.above[0].whole, self.above[1]))
        place, schema = self.layers[0]
        return select_keywords(self.library.inline(place.document, schema), CONSTRAINTS | ANNOTATIONS)

    @cached_property
    def bare(self) -> dict[str, Any]:
        """The schema as a validator sees it: every reference written out, and no annotations."""
        return as_object(follow_path(self.above[0].bare, self.above[1])) if self.above else select_keywords(self.whole)

    def spot(self, *keys: str) -> Place:
        """Where the first of some keywords stands, else the schema that would have it."""
        for key in keys:
            for place, schema in self.layers:
                if key in schema:
                    return place.at(key)
        return self.target

    def child(self, *tokens: str | int) -> SchemaNode:
        """The schema below a keyword; one that admits everything where there is none."""
        for place, schema in self.layers:
            found = follow_path(schema, tokens)
            if isinstance(found, dict):
                return SchemaNode.of(self.library, place.at(*tokens), found, (self, tokens))
        return SchemaNode(self.library, ((self.spot(str(tokens[0])), {}),))

    def value(self, keyword: str) -> Any:
        """What a keyword says; None where it is not said."""
        return self.known.get(keyword)

    @property
    def properties(self) -> list[str]:
        """The names of the members."""
        return list(as_object(self.known.get("properties")))

    @property
    def required(self) -> list[str]:
        """The names of the members that must be there."""
        return [name for name in as_array(self.known.get("required")) if isinstance(name, str)]

    @property
    def is_closed(self) -> bool:
        """Whether members that are not named are refused."""
        return self.known.get("additionalProperties") is False

    @property
    def branches(self) -> list[tuple[tuple[str | int, ...], SchemaNode]]:
        """The alternatives of a union, with the way to each; the schema itself where it is none."""
        found = [
            ((key, index), self.child(key, index))
            for key in UNIONS
            for index in range(len(as_array(self.known.get(key))))
        ]
        return [*found] or [((), self)]


@dataclass(frozen=True, slots=True)
class ContractValue:
    """A value of a contract, and where it stands."""

    library: SchemaLibrary
    place: Place
    value: Any

    def at(self, *keys: str) -> ContractValue:
        """What stands below keys; None as value where there is nothing."""
        value = self.value
        for key in keys:
            value = as_object(value).get(key)
        return ContractValue(self.library, self.place.at(*keys), value)

    def items(self, key: str) -> dict[str, ContractValue]:
        """The members of an object below a key, by name, as they stand in it."""
        return {name: self.at(key, name) for name in as_object(as_object(self.value).get(key))}

    def listed(self, key: str) -> list[ContractValue]:
        """The elements of an array below a key."""
        found = as_object(self.value).get(key)
        below = self.place.at(key)
        return [
            ContractValue(self.library, below.at(n), part)
            for n, part in enumerate(found if isinstance(found, list) else [])
        ]

    def node(self, key: str) -> SchemaNode:
        """The schema below a key."""
        return SchemaNode.of(self.library, self.place.at(key), as_object(self.value).get(key))


def _resolve_layers(library: SchemaLibrary, place: Place, schema: Schema) -> Iterator[tuple[Place, Schema]]:
    """A schema and the schemas that its references lead to, one after the other."""
    for _ in range(DEEPEST):
        yield place, schema
        if not isinstance(schema.get("$ref"), str):
            return
        try:
            target = library.target(place.document, schema["$ref"])
        except DanglingReference:
            return
        place, schema = Place(target.document, target.pointer), target.schema


def follow_path(schema: Any, way: tuple[str | int, ...]) -> Any:
    """What stands at the end of a way through a schema; None where there is nothing."""
    for token in way:
        if isinstance(token, str):
            schema = as_object(schema).get(token)
        else:
            schema = dict(enumerate(as_array(schema))).get(token)
    return schema


def select_keywords(schema: Any, keywords: Collection[str] = CONSTRAINTS) -> dict[str, Any]:
    """A schema with some keywords only, and so the schemas inside it."""
    kept: dict[str, Any] = {}
    for key, value in as_object(schema).items():
        if key not in keywords:
            continue
        if key == "properties":
            kept[key] = {name: select_keywords(part, keywords) for name, part in as_object(value).items()}
        elif key in UNIONS:
            kept[key] = [select_keywords(part, keywords) for part in as_array(value)]
        elif isinstance(value, dict) and key in {"items", "additionalProperties"}:
            kept[key] = select_keywords(value, keywords)
        else:
            kept[key] = value
    return kept
