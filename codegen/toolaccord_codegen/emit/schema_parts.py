"""Repeated parts of schemas, each under a name, so that a generated file holds it once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from toolaccord_codegen.ir.tool import Schema
from toolaccord_codegen.loading.references import child_schemas, convert_children

SHORTEST = 80
"""Characters of JSON from which a repeated part gets a name.

A shorter part is easier to read in its place.
"""

WORDS = {"items": " item", "additionalProperties": " value", "propertyNames": " name"}
"""Ends of the names of the schemas of a keyword, after the name of the schema around them."""


@dataclass(frozen=True, slots=True)
class PartStyle:
    """The form of names and of references in one kind of file."""

    join: Callable[[Sequence[str]], str]
    """Joins the words of a name, such as the members that lead to a part."""
    refer: Callable[[str], Any]
    """Returns a reference to a name."""


def share_parts(roots: Mapping[str, Schema], style: PartStyle) -> dict[str, Any]:
    """Return schemas and their repeated parts by name, with references in place of those parts.

    A schema comes after all that it refers to. One that equals an earlier one is a reference to it.
    """
    parts = _Parts(style, roots)
    for name, schema in roots.items():
        parts.add_root(name, schema)
    return parts.found


@dataclass(slots=True)
class _Parts:
    """Collector of named schemas."""

    style: PartStyle
    roots: Mapping[str, Schema]
    found: dict[str, Any] = field(default_factory=dict)
    """The schemas by name, each after those that it refers to."""
    _counts: Counter[str] = field(default_factory=Counter)
    """Occurrences of each schema by its JSON text, those inside a repeated one counted once."""
    _names: dict[str, str] = field(default_factory=dict)
    """Names by JSON text."""

    def __post_init__(self) -> None:
        for name, schema in self.roots.items():
            self._count(schema)
            self._names.setdefault(json.dumps(schema), name)

    def _count(self, schema: Schema) -> None:
        text = json.dumps(schema)
        self._counts[text] += 1
        if self._counts[text] == 1:
            for _, part in child_schemas(schema):
                self._count(part)

    def add_root(self, name: str, schema: Schema) -> None:
        """Add a schema under its own name."""
        first = self._names[json.dumps(schema)]
        if name != first:
            self.found[name] = self.style.refer(first)
        elif name not in self.found:
            self.found[name] = self._convert_children(schema, (name,))

    def _convert(self, schema: Schema, path: tuple[str, ...]) -> Any:
        """Return a reference to a schema that has a name or gets one, else a copy of it."""
        text = json.dumps(schema)
        if text in self._names:
            name = self._names[text]
            if name in self.roots:
                self.add_root(name, self.roots[name])
            return self.style.refer(name)
        if self._counts[text] == 1 or len(text) < SHORTEST:
            return self._convert_children(schema, path)
        name = self._names[text] = self._choose_name(path)
        self.found[name] = self._convert_children(schema, path)
        return self.style.refer(name)

    def _convert_children(self, schema: Schema, path: tuple[str, ...]) -> dict[str, Any]:
        """Copy a schema with its children converted."""
        return {key: self._convert_keyword(key, value, path) for key, value in schema.items()}

    def _convert_keyword(self, key: str, value: Any, path: tuple[str, ...]) -> Any:
        """Copy the value of a keyword with the schemas directly inside it converted."""
        if key == "properties":
            return {name: self._convert(member, (*path, name)) for name, member in value.items()}
        inner = (*path[:-1], path[-1] + WORDS.get(key, ""))
        return convert_children(key, value, lambda child: self._convert(child, inner))

    def _choose_name(self, path: tuple[str, ...]) -> str:
        """Choose a free name: the member's, with as many of those above it as it needs, or a number."""
        taken = {*self.roots, *self._names.values()}
        for start in reversed(range(len(path))):
            if (name := self.style.join(path[start:])) not in taken:
                return name
        names = (self.style.join([*path, str(number)]) for number in count(2))
        return next(name for name in names if name not in taken)
