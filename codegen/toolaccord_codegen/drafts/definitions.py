"""Definitions that the schemas of a document refer to, each drafted once and kept finite."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from toolaccord.semantics.json_pointers import join_pointer, split_pointer
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.names import free_name
from toolaccord_codegen.loading.references import as_object, convert_children, subschemas

Schema = dict[str, Any]
Extent = tuple[int, int]
LARGEST, DEEPEST = 1000, 40
"""Most schemas and levels of a drafted schema with its references inlined.

The language admits more, and hosts show all of it to a model.
"""
LONGEST_CHAIN = 30
"""Most definitions that lead to each other without an end."""
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True)
class Target:
    """A schema of the document that references lead to."""

    pointer: str
    schema: Any


@dataclass(slots=True)
class Definitions:
    """The definitions of one document; references to them are `#/$defs/<name>`."""

    document: Any
    """The whole document in which references are resolved."""
    base: str = ""
    """JSON pointer of the document, for losses."""
    name_of: Callable[[str], str] = str
    """Makes the name of a definition of the last part of its pointer."""
    is_shared: bool = False
    """True if several tools share the definitions, which then own their losses."""
    taken: frozenset[str] = frozenset()
    """Names that no definition may have."""
    schemas: dict[str, Schema] = field(default_factory=dict)
    """The drafted definitions, by name."""
    _names: dict[str, str] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    """Pointers of the definitions that are being drafted."""
    _extents: dict[str, Extent] = field(default_factory=dict)

    def find(self, reference: str) -> Target | None:
        """Return the schema behind a `$ref` to this document; None without one."""
        if not reference.startswith("#") or (len(reference) > 1 and reference[1] != "/"):
            return None
        found, pointer = self.document, unquote(reference[1:])
        for token in split_pointer(pointer):
            if isinstance(found, list) and token.isdecimal() and int(token) < len(found):
                found = found[int(token)]
            elif isinstance(found, dict) and token in found:
                found = found[token]
            else:
                return None
        return Target(self.base + pointer, found)

    def is_open(self, pointer: str) -> bool:
        """Return True for a definition that is being drafted: a reference to it would never end."""
        return pointer in self._open or len(self._open) > LONGEST_CHAIN

    def refer(self, target: Target, draft: Callable[[], Schema], losses: Losses) -> Schema:
        """Return a reference to a definition; draft it at its first use."""
        if target.pointer not in self._names:
            name = self._choose_name(target.pointer)
            self._open.append(target.pointer)
            with losses.of(f"schema {name}" if self.is_shared else losses.owner):
                drafted = self.limit(draft(), target.pointer, losses)
            self._open.pop()
            self._names[target.pointer] = name
            self.schemas[name] = drafted
            self._extents[name] = self._measure(drafted)
        return {"$ref": join_pointer("#/$defs", self._names[target.pointer])}

    def _choose_name(self, pointer: str) -> str:
        """Return a free name for a definition."""
        last = split_pointer(pointer)[-1] if split_pointer(pointer) else "Root"
        wished = self.name_of(last)
        wished = wished if NAME.fullmatch(wished) else "Schema"
        name = free_name(wished, self.taken)
        self.taken |= {name}
        return name

    def expand(self, schema: Schema) -> Schema:
        """Return a drafted schema with definitions in the place of references at its root."""
        while "$ref" in schema:
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            schema = {**self._behind(schema), **beside}
        return schema

    def inline(self, schema: Schema) -> Schema:
        """Return a drafted schema with a definition in the place of each reference."""
        whole = self.expand(schema)
        return {key: convert_children(key, value, self.inline) for key, value in whole.items() if key != "$defs"}

    def _behind(self, schema: Mapping[str, Any]) -> Schema:
        """Return the definition behind a drafted reference."""
        return self.schemas[split_pointer(schema["$ref"][1:])[1]]

    def limit(self, schema: Schema, at: str, losses: Losses) -> Schema:
        """Return a drafted schema with at most LARGEST schemas and DEEPEST levels.

        The largest references are cut first.
        """
        while not _fits(self._measure(schema)):
            references = [
                (self._behind_extent(part), place) for place, part in subschemas(schema, "") if "$ref" in part
            ]
            if not references:
                return self._flatten(schema, at, losses)
            place = max(references)[1]
            reason = f"with it the schema has more than {LARGEST} schemas or {DEEPEST} levels; any value is admitted"
            losses.drop(at + place, "$ref", Effect.WIDER, reason)
            cut = next(part for found, part in subschemas(schema, "") if found == place)
            del cut["$ref"]
        return schema

    def _behind_extent(self, schema: Mapping[str, Any]) -> Extent:
        """Return the extent of the definition behind a reference."""
        return self._extents[split_pointer(schema["$ref"][1:])[1]]

    def _flatten(self, schema: Schema, at: str, losses: Losses) -> Schema:
        """Return only the type of a schema that is too large by itself."""
        losses.drop(at, "properties", Effect.WIDER, f"the schema has more than {LARGEST} schemas or {DEEPEST} levels")
        kept = {key: value for key, value in schema.items() if key in {"type", "title", "description"}}
        return {**kept, "additionalProperties": True} if kept.get("type") == "object" else kept

    def _measure(self, schema: Mapping[str, Any]) -> Extent:
        """Return the numbers of schemas and of levels of a schema with its references inlined."""
        size, levels = self._behind_extent(schema) if "$ref" in schema else (0, 0)
        for child in _children(schema):
            more, below = self._measure(child)
            size, levels = size + more, max(levels, below)
        return size + 1, levels + 1


def _fits(extent: Extent) -> bool:
    """Return True for an extent that a draft may have."""
    return extent[0] <= LARGEST and extent[1] <= DEEPEST


def _children(schema: Mapping[str, Any]) -> Iterator[Schema]:
    """Yield the schemas directly inside a schema."""
    found: list[Schema] = []

    def note(part: Any) -> Schema:
        found.append(as_object(part))
        return {}

    for key, value in schema.items():
        convert_children(key, value, note)
    yield from found
