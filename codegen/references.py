"""`$ref`: where it leads, and schemas with every reference written out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from codegen.documents import Document, member, target_name
from codegen.problems import Problem

ANNOTATIONS = frozenset({"$ref", "title", "description", "default", "examples"})
"""What may stand beside a `$ref`: anything else would silently replace or be replaced."""


@dataclass(frozen=True, slots=True)
class Target:
    """The schema a reference leads to."""

    document: Document
    pointer: str
    schema: Mapping[str, Any]

    @property
    def name(self) -> str | None:
        """Its name among the file's `$defs`; None for a part of one."""
        tokens = self.pointer.split("/")
        return tokens[2] if len(tokens) == 3 else None

    @property
    def is_model(self) -> bool:
        """Whether it becomes a class of its own; scalars and free-form objects are written out instead."""
        return self.name is not None and self.schema.get("type") == "object" and "properties" in self.schema


class DanglingReference(LookupError):
    """A `$ref` that names no schema; its text says why."""


@dataclass(frozen=True, slots=True)
class Library:
    """The documents that references may reach: the contracts folder, by name."""

    documents: Mapping[str, Document]

    def target(self, document: Document, reference: str) -> Target:
        """Follow a `$ref` that stands in `document`.

        Raises DanglingReference.
        """
        name, pointer = target_name(document, reference)
        if name not in self.documents:
            raise DanglingReference(f'"{reference}" names no file of the contracts folder')
        found = self.documents[name]
        if not pointer.startswith("/$defs/"):
            raise DanglingReference(f'"{reference}" must lead to a schema under #/$defs/')
        try:
            schema = found.at(pointer)
        except (LookupError, ValueError, TypeError):
            names = list(found.value.get("$defs", {})) if isinstance(found.value, dict) else []
            close = get_close_matches(pointer.split("/")[2], names, 1, cutoff=0.4)
            cure = f"did you mean {close[0]}?" if close else f"it has {', '.join(names) or 'none'}"
            raise DanglingReference(f'"{reference}" names a schema that {found.shown} does not have; {cure}') from None
        if not isinstance(schema, dict):
            raise DanglingReference(f'"{reference}" does not lead to a schema')
        return Target(found, pointer, schema)

    def inlined(self, document: Document, schema: Mapping[str, Any]) -> dict[str, Any]:
        """A copy of a schema in which every reference is written out; what stands beside a reference wins."""
        beside = {key: self._inlined_keyword(document, key, value) for key, value in schema.items() if key != "$ref"}
        if "$ref" not in schema:
            return beside
        target = self.target(document, schema["$ref"])
        return {**self.inlined(target.document, target.schema), **beside}

    def _inlined_keyword(self, document: Document, key: str, value: Any) -> Any:
        if key == "properties":
            return {name: self.inlined(document, part) for name, part in value.items()}
        if key in {"anyOf", "oneOf"}:
            return [self.inlined(document, part) for part in value]
        if key == "items" or (key == "additionalProperties" and isinstance(value, dict)):
            return self.inlined(document, value)
        return value


def subschemas(schema: Any, pointer: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """A schema and every schema inside it, with its pointer; references are not followed."""
    if not isinstance(schema, dict):
        return
    yield pointer, schema
    for name, part in as_object(schema.get("properties")).items():
        yield from subschemas(part, member(pointer, "properties", name))
    for keyword in ("items", "additionalProperties"):
        yield from subschemas(schema.get(keyword), member(pointer, keyword))
    for keyword in ("anyOf", "oneOf"):
        for index, part in enumerate(as_array(schema.get(keyword))):
            yield from subschemas(part, member(pointer, keyword, index))


def as_object(value: Any) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty one: rules also run on files of the wrong shape."""
    return value if isinstance(value, dict) else {}


def as_array(value: Any) -> list[Any]:
    """The value if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def schema_roots(document: Document) -> Iterator[tuple[str, Any]]:
    """The outermost schemas of a contract or of a shared file, with their pointers."""
    value = as_object(document.value)
    for index, tool in enumerate(as_array(value.get("tools"))):
        for keyword in ("parameters", "returns"):
            if keyword in as_object(tool):
                yield member("", "tools", index, keyword), tool[keyword]
    for name, schema in as_object(value.get("$defs")).items():
        yield member("", "$defs", name), schema


def reference_faults(library: Library, document: Document) -> Iterator[Problem]:
    """References that lead nowhere, round in a circle, or have constraints beside them."""
    for root, schema in schema_roots(document):
        for pointer, part in subschemas(schema, root):
            if not isinstance(part.get("$ref"), str):
                continue
            at = member(pointer, "$ref")
            try:
                circle = _circle(library, document, part, ())
            except DanglingReference as error:
                yield document.problem(at, "DANGLING_REF", str(error))
                continue
            if circle:
                yield document.problem(
                    at,
                    "RECURSIVE_REF",
                    f"{circle} leads back to itself; a published schema must end, so cut the circle",
                )
            for key in part.keys() - ANNOTATIONS:
                yield document.problem(
                    member(pointer, key),
                    "REF_SIBLING",
                    f'"{key}" beside "$ref" would silently win over the schema referred to; put it there',
                    key=True,
                )


def _circle(
    library: Library, document: Document, schema: Mapping[str, Any], trail: tuple[tuple[str, str], ...]
) -> str | None:
    """The reference that closes a circle below `schema`, if there is one.

    Raises DanglingReference for the reference of `schema` itself; deeper ones are reported where they stand.
    """
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return None
    target = library.target(document, reference)
    step = (target.document.name, target.pointer)
    if step in trail:
        return reference
    for _, part in subschemas(target.schema, target.pointer):
        try:
            found = _circle(library, target.document, part, (*trail, step))
        except DanglingReference:
            continue
        if found:
            return found
    return None
