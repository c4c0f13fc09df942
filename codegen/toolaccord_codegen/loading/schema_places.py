"""Schemas at a JSON pointer into the values of a schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord.semantics.json_pointers import split_pointer
from toolaccord.semantics.version_steps import EACH
from toolaccord_codegen.loading.references import UNIONS, as_object, list_branches


def schemas_at(schema: Mapping[str, Any], pointer: str) -> list[Mapping[str, Any]]:
    """Return the schema of the value at a pointer, in each alternative.

    There is none where no value can be. The schema has no references. `*` is every item of an array, and every member
    without a name of its own. An object that names no members has any if it is open, and a schema that admits any JSON
    has anything below it.
    """
    found = [schema]
    for token in split_pointer(pointer):
        found = [inner for outer in found for each in list_alternatives(outer) for inner in _step(each, token)]
    return [each for outer in found for each in list_alternatives(outer)]


def list_alternatives(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the branches of a schema's unions; a schema without a union is its only alternative."""
    branches = list_branches(schema)
    if not branches or "properties" in schema:
        yield schema
    for branch in branches:
        yield from list_alternatives(as_object(branch))


def _step(schema: Mapping[str, Any], token: str) -> Iterator[Mapping[str, Any]]:
    """Yield the schema of a member or of the items."""
    members, others = as_object(schema.get("properties")), schema.get("additionalProperties")
    if isinstance(members.get(token), dict):
        yield members[token]
    elif token == EACH and isinstance(schema.get("items"), dict):
        yield schema["items"]
    elif isinstance(others, dict) or (others is True and not members):
        yield as_object(others)
    elif schema.keys().isdisjoint(("type", "enum", "const", *UNIONS)):
        yield {}
