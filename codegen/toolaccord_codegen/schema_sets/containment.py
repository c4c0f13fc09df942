"""Compare schemas by the sets of values that they admit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import jsonschema_rs

from toolaccord.semantics.formats import CHECKED_FORMATS
from toolaccord_codegen.loading.references import as_array, as_object
from toolaccord_codegen.loading.schema_nodes import UNIONS, Schema, select_keywords

NOTHING: Schema = {"not": {}}
"""Admits no value."""
REWRITTEN = re.compile(r'"(pattern|format|multipleOf)"')
"""Keywords that `jsonschema_rs` may compare by their text, not by their values."""
TYPED_MAP = re.compile(r'"additionalProperties": \{"')
"""An object whose unnamed members have a schema."""
UNCHECKED_FORMAT = re.compile(f'"format": "(?!(?:{"|".join(sorted(CHECKED_FORMATS))})")')
"""A format that servers do not check, or a text that looks like one."""
LARGE = 2000
"""Characters of a schema whose containment is refuted by values before a proof is tried."""
PROBES = 100
"""Values that may refute a containment."""
ALL_TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
"""Every type of JSON Schema."""


def admits(schema: Schema, value: Any) -> bool:
    """Return True if a schema admits a value. Formats are asserted, as in servers."""
    return compile_validator(schema).is_valid(value)


def covers(outer: Schema, inner: Schema) -> bool:
    """Return True if *outer* provably admits every value that *inner* admits."""
    texts = _dump(inner), _dump(outer)
    if '"propertyNames"' in texts[1]:
        outer = _share_names(outer, inner)
        texts = texts[0], _dump(outer)
    if len(texts[0]) > LARGE and _is_refuted(outer, inner):
        return False
    if any(map(TYPED_MAP.search, texts)):
        texts = _dump(_name_members(inner, [outer])), _dump(_name_members(outer, [inner]))
    return (_is_contained_by_classes if any(map(REWRITTEN.search, texts)) else _is_contained)(*texts)


def _dump(schema: Schema) -> str:
    """Return a schema as JSON text, without formats that servers do not check."""
    text = json.dumps(schema)
    return json.dumps(select_keywords(schema)) if UNCHECKED_FORMAT.search(text) else text


def _share_names(outer: Schema, inner: Schema) -> Schema:
    """Return *outer* with the `propertyNames` of *inner* where it admits all those names.

    It then admits nothing more than before, and `jsonschema_rs` compares names by the text of their patterns.
    """
    shared = dict(outer)
    if "propertyNames" in outer:
        names = as_object(inner.get("propertyNames"))
        if covers(outer["propertyNames"], {"type": "string", **names}):
            shared["propertyNames"] = names
    for key in ("items", "additionalProperties"):
        if isinstance(outer.get(key), dict) and isinstance(inner.get(key), dict):
            shared[key] = _share_names(outer[key], inner[key])
    if "properties" in outer:
        known = as_object(inner.get("properties"))
        members = as_object(outer["properties"])
        shared["properties"] = {name: _share_names(part, as_object(known.get(name))) for name, part in members.items()}
    return shared


def _is_refuted(outer: Schema, inner: Schema) -> bool:
    """Return True if one of a few values shows that *inner* admits more.

    A proof would take a second.
    """
    from toolaccord_codegen.schema_sets.samples import boundary_values  # noqa: PLC0415 - samples imports this module

    admitting, rejecting = compile_validator(inner), compile_validator(outer)
    values = islice(boundary_values(inner, [outer]), PROBES)
    return any(admitting.is_valid(value) and not rejecting.is_valid(value) for value in values)


def _name_members(schema: Schema, rivals: Sequence[Schema]) -> Schema:
    """Return a schema whose typed maps name the members that *rivals* name at the same place.

    Both admit the same values, and `jsonschema_rs` compares a name only with a name.
    """
    rivals = [part for rival in rivals for part in _alternatives(rival)]

    def convert(part: Schema, *path: str) -> Schema:
        return _name_members(part, [found for rival in rivals for found in _find_part(rival, *path)])

    named, members, others = dict(schema), as_object(schema.get("properties")), schema.get("additionalProperties")
    if isinstance(others, dict) and others:
        members = {**{name: others for rival in rivals for name in as_object(rival.get("properties"))}, **members}
        named["additionalProperties"] = convert(others, "additionalProperties")
    if members:
        named["properties"] = {name: convert(part, "properties", name) for name, part in members.items()}
    if isinstance(schema.get("items"), dict):
        named["items"] = convert(schema["items"], "items")
    for key in UNIONS:
        if key in schema:
            named[key] = [_name_members(as_object(part), rivals) for part in as_array(schema[key])]
    return named


def _alternatives(schema: Schema) -> Iterator[Schema]:
    """Yield a schema and the alternatives of its unions."""
    yield schema
    for part in (as_object(part) for key in UNIONS for part in as_array(schema.get(key))):
        yield from _alternatives(part)


def _find_part(schema: Schema, key: str, name: str = "") -> Iterator[Schema]:
    """Yield the schema of items, of unnamed members, or of a member by its name."""
    found = as_object(schema.get("properties")).get(name, schema.get("additionalProperties"))
    part = found if key == "properties" else schema.get(key)
    if isinstance(part, dict):
        yield part


def are_disjoint(one: Schema, other: Schema) -> bool:
    """Return True if provably no value is admitted by both schemas."""
    try:
        common = canonicalize(one).intersect(canonicalize(other))
    except jsonschema_rs.canonical.CanonicalizationError:
        return False
    return common.satisfiability() is jsonschema_rs.canonical.Satisfiability.NO


def compile_validator(schema: Schema) -> jsonschema_rs.Draft202012Validator:
    """Return the validator of a schema without `$schema`. Equal schemas share one."""
    return _validator_of_text(_dump(schema))


@dataclass(frozen=True, slots=True, eq=False)
class _SchemaIdentity:
    """A schema as a key: only the same object is the same key, however large it is."""

    schema: Schema

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SchemaIdentity) and self.schema is other.schema

    def __hash__(self) -> int:
        return id(self.schema)


def compile_keywords(schema: Schema) -> jsonschema_rs.Draft202012Validator:
    """Return the validator of a schema that may have annotations and unknown keywords.

    A schema that shows many changes is compiled once. It must not change.
    """
    return _validator_of_object(_SchemaIdentity(schema))


@lru_cache(maxsize=16)
def _validator_of_object(identity: _SchemaIdentity) -> jsonschema_rs.Draft202012Validator:
    """Compile a schema without its annotations."""
    return compile_validator(select_keywords(identity.schema))


def canonicalize(schema: Schema) -> jsonschema_rs.CanonicalSchema:
    """Return the canonical form of a schema.

    Raises ValueError where a pattern cannot be compiled.
    """
    return _canonical_of_text(_dump(schema))


@lru_cache(maxsize=4096)
def _is_contained(inner: str, outer: str) -> bool:
    """Return True if containment is proved for two schemas given as JSON text."""
    try:
        containment = _canonical_of_text(outer).covers(_canonical_of_text(inner))
    except jsonschema_rs.canonical.UnsupportedOperand:  # such as arrays that two alternatives of oneOf enumerate
        return False
    return containment is jsonschema_rs.canonical.Containment.YES


@lru_cache(maxsize=4096)
def _is_contained_by_classes(inner: str, outer: str) -> bool:
    """Return True if containment is proved for the classes of texts in two schemas."""
    from toolaccord_codegen.schema_sets.text_enumerations import enumerate_texts  # noqa: PLC0415 - rarely needed and slow to import

    return _is_contained(*map(json.dumps, enumerate_texts(json.loads(inner), json.loads(outer))))


@lru_cache(maxsize=4096)
def _validator_of_text(schema: str) -> jsonschema_rs.Draft202012Validator:
    """Compile a schema given as JSON text, which is hashable."""
    return jsonschema_rs.Draft202012Validator(json.loads(schema), validate_formats=True, offline=True)


@lru_cache(maxsize=4096)
def _canonical_of_text(schema: str) -> jsonschema_rs.CanonicalSchema:
    """Canonicalise a schema given as JSON text, which is hashable."""
    draft = jsonschema_rs.Draft202012
    return jsonschema_rs.canonicalize(json.loads(schema), draft=draft, validate_formats=True, offline=True)
