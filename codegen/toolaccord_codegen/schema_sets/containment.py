"""Compare schemas by the sets of values that they admit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

import jsonschema_rs

from toolaccord_codegen.loading.json_equality import SameValue
from toolaccord_codegen.loading.references import UNIONS, as_array, as_object, walk_branches
from toolaccord_codegen.loading.schema_nodes import Schema
from toolaccord_codegen.schema_sets.samples import boundary_values
from toolaccord_codegen.schema_sets.tagged_unions import list_tags, read_tagged_union
from toolaccord_codegen.schema_sets.validators import compile_validator, dump_schema

NOTHING: Schema = {"not": {}}
"""Admits no value."""
REWRITTEN = re.compile(r'"(pattern|format|multipleOf)"')
"""Keywords that `jsonschema_rs` may compare by their text, not by their values."""
TYPED_MAP = re.compile(r'"additionalProperties": \{"')
"""An object whose unnamed members have a schema."""
LARGE = 2000
"""Characters of a schema whose containment is refuted by values before a proof is tried."""
PROBES = 100
"""Values that may refute a containment."""


def covers(outer: Schema, inner: Schema) -> bool:
    """Return True if *outer* provably admits every value that *inner* admits.

    The answer is kept, so neither may change.
    """
    return _covers_once(SameValue(outer), SameValue(inner))


@lru_cache(maxsize=1024)
def _covers_once(same_outer: SameValue, same_inner: SameValue) -> bool:
    """Compare two schemas once, as a part of them and of all that hold them."""
    outer, inner = same_outer.value, same_inner.value
    if (found := _covers_by_tag(outer, inner)) is not None:
        return found
    texts = dump_schema(inner), dump_schema(outer)
    if '"propertyNames"' in texts[1]:
        outer = _share_names(outer, inner)
        texts = texts[0], dump_schema(outer)
    if len(texts[0]) > LARGE and _is_refuted(outer, inner):
        return False
    if any(map(TYPED_MAP.search, texts)):
        texts = dump_schema(_name_members(inner, [outer])), dump_schema(_name_members(outer, [inner]))
    return (_is_contained_by_classes if any(map(REWRITTEN.search, texts)) else _is_contained)(*texts)


def _covers_by_tag(outer: Schema, inner: Schema) -> bool | None:
    """Return the containment of two unions with one tag, or of an alternative in one.

    None for other schemas. Together, hundreds of alternatives would take seconds.
    """
    if (union := read_tagged_union(outer)) is None:
        return None
    tag, arms = union
    found = read_tagged_union(inner)
    if found is None and len(values := list_tags(inner).get(tag, ())) == 1:
        found = tag, dict.fromkeys(values, inner)
    if found is None or found[0] != tag:
        return None
    return all(value in arms and covers(arms[value], arm) for value, arm in found[1].items())


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
    admitting, rejecting = compile_validator(inner), compile_validator(outer)
    values = islice(boundary_values(inner, [outer]), PROBES)
    return any(admitting.is_valid(value) and not rejecting.is_valid(value) for value in values)


def _name_members(schema: Schema, rivals: Sequence[Schema]) -> Schema:
    """Return a schema whose typed maps name the members that *rivals* name at the same place.

    Both admit the same values, and `jsonschema_rs` compares a name only with a name.
    """
    rivals = [part for rival in rivals for part in walk_branches(rival)]

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


def canonicalize(schema: Schema) -> jsonschema_rs.CanonicalSchema:
    """Return the canonical form of a schema.

    Raises ValueError where a pattern cannot be compiled.
    """
    return _canonical_of_text(dump_schema(schema))


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
def _canonical_of_text(schema: str) -> jsonschema_rs.CanonicalSchema:
    """Canonicalise a schema given as JSON text, which is hashable."""
    draft = jsonschema_rs.Draft202012
    return jsonschema_rs.canonicalize(json.loads(schema), draft=draft, validate_formats=True, offline=True)
