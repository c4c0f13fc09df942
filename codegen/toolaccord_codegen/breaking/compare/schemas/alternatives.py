"""Match the alternatives of two unions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from toolaccord_codegen.breaking.compare.schemas.keywords import enumerated_values, type_names
from toolaccord_codegen.loading.json_equality import canonical_json, equal_json
from toolaccord_codegen.loading.schema_nodes import SchemaNode
from toolaccord_codegen.schema_sets.containment import are_disjoint, covers
from toolaccord_codegen.schema_sets.samples import SchemaPath

Alternatives = Mapping[SchemaPath, SchemaNode]


def match_alternatives(before: Alternatives, after: Alternatives) -> dict[SchemaPath, SchemaPath]:
    """Match alternatives of both sides, each at most once, the most similar ones first.

    Alternatives whose constants or enumerated members differ never match. Equal ones match, then those that one value
    fits, then those of the same types.
    """
    pairs: dict[SchemaPath, SchemaPath] = {}
    for are_alike in (_are_equal, _is_either_covered, _overlap, _have_the_same_types):
        for old_path, old in before.items():
            free = (path for path, new in after.items() if path not in pairs.values() and are_alike(old, new))
            if old_path not in pairs and (found := next(free, None)) is not None:
                pairs[old_path] = found
    return pairs


def _are_equal(old: SchemaNode, new: SchemaNode) -> bool:
    return equal_json(old.constraints, new.constraints)


def _is_either_covered(old: SchemaNode, new: SchemaNode) -> bool:
    """Return True if one alternative admits all values of the other."""
    pair = old.constraints, new.constraints
    return all(_shared_values(old, new)) and (covers(*pair) or covers(*pair[::-1]))


def _overlap(old: SchemaNode, new: SchemaNode) -> bool:
    """Return True if one value may fit both alternatives."""
    return _have_the_same_types(old, new) and not are_disjoint(old.constraints, new.constraints)


def _have_the_same_types(old: SchemaNode, new: SchemaNode) -> bool:
    """Return True if the alternatives have the same types, and no constant distinguishes them."""
    return type_names(old) == type_names(new) and all(_shared_values(old, new))


def _shared_values(old: SchemaNode, new: SchemaNode) -> Iterator[AbstractSet[str]]:
    """Yield the common values of each place that both enumerate: the whole value, or a member."""
    names = [name for name in old.required if name in new.required]
    members = [(old.child("properties", name), new.child("properties", name)) for name in names]
    for before, after in [(old, new), *members]:
        values = enumerated_values(before), enumerated_values(after)
        if values[0] is not None and values[1] is not None:
            yield {*map(canonical_json, values[0])} & {*map(canonical_json, values[1])}
