"""Read unions whose alternatives a required member with constants tells apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolaccord_codegen.loading.json_equality import canonical_json
from toolaccord_codegen.loading.references import UNIONS, as_array, as_object
from toolaccord_codegen.loading.schema_nodes import Schema

Tags = dict[str, frozenset[str]]
"""The values of the members that a schema requires and enumerates, as JSON, by name."""


def list_tags(schema: Schema) -> Tags:
    """List the members that a schema requires and enumerates, with their values."""
    members = as_object(schema.get("properties"))
    found = {name: as_object(members.get(name)) for name in as_array(schema.get("required")) if isinstance(name, str)}
    return {
        name: frozenset(map(canonical_json, [member["const"]] if "const" in member else as_array(member.get("enum"))))
        for name, member in found.items()
        if "const" in member or "enum" in member
    }


def find_tag(alternatives: Sequence[Tags]) -> str | None:
    """Return the member whose values belong to one alternative each; None without one."""
    for name in alternatives[0] if len(alternatives) > 1 else ():
        values = [tags.get(name, frozenset()) for tags in alternatives]
        if all(values) and len(frozenset().union(*values)) == sum(map(len, values)):
            return name
    return None


def read_tagged_union(schema: Schema) -> tuple[str, Mapping[str, Schema]] | None:
    """Return the tag of a union and its alternatives by its value; None without one."""
    if len(schema) != 1 or next(iter(schema)) not in UNIONS:
        return None
    arms = [as_object(arm) for arm in as_array(next(iter(schema.values())))]
    tags = [list_tags(arm) for arm in arms]
    if any(arm.get("type") != "object" for arm in arms) or (tag := find_tag(tags)) is None:
        return None
    if any(len(each[tag]) != 1 for each in tags):
        return None
    return tag, {next(iter(each[tag])): arm for arm, each in zip(arms, tags, strict=True)}
