"""Match the alternatives of two unions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from toolaccord_codegen.breaking.compare.schemas.keywords import enumerated_values, type_names
from toolaccord_codegen.loading.json_equality import canonical_json
from toolaccord_codegen.loading.schema_nodes import SchemaNode
from toolaccord_codegen.schema_sets.containment import are_disjoint, covers
from toolaccord_codegen.schema_sets.samples import SchemaPath
from toolaccord_codegen.schema_sets.tagged_unions import Tags, find_tag, list_tags

Alternatives = Mapping[SchemaPath, SchemaNode]


@dataclass(frozen=True)
class _Alternative:
    """One alternative, with the facts that are compared often."""

    node: SchemaNode

    @cached_property
    def text(self) -> str:
        """Return its constraints as one text."""
        return canonical_json(self.node.constraints)

    @cached_property
    def tags(self) -> Tags:
        """Return the values of each place that it enumerates: the whole value, as "", or a member."""
        whole = enumerated_values(self.node)
        return list_tags(self.node.constraints) | ({} if whole is None else {"": frozenset(map(canonical_json, whole))})

    def may_match(self, other: _Alternative) -> bool:
        """Return True unless constants or enumerated members tell two alternatives apart."""
        return all(values & other.tags[name] for name, values in self.tags.items() if name in other.tags)


def match_alternatives(before: Alternatives, after: Alternatives) -> dict[SchemaPath, SchemaPath]:
    """Match alternatives of both sides, each at most once, the most similar ones first.

    Alternatives whose constants or enumerated members differ never match. Equal ones match, then those that one value
    fits, then those of the same types.
    """
    old, new = ({path: _Alternative(node) for path, node in side.items()} for side in (before, after))
    pairs = dict(_match_equal(old, new))
    taken = set(pairs.values())
    rests = [
        (path, [other for other in new if each.may_match(new[other])])
        for path, each in old.items()
        if path not in pairs
    ]
    tests: tuple[Callable[[SchemaNode, SchemaNode], bool], ...] = _is_either_covered, _overlap, _have_the_same_types
    for are_alike in tests:
        for path, others in rests:
            free = (each for each in others if each not in taken and are_alike(before[path], after[each]))
            if path not in pairs and (found := next(free, None)) is not None:
                pairs[path] = found
                taken.add(found)
    return pairs


def find_tagged(branches: Alternatives) -> Mapping[SchemaPath, frozenset[str]]:
    """Return the values of the tag of each object among alternatives; none without a tag."""
    tags = {path: list_tags(node.constraints) for path, node in branches.items() if type_names(node) == {"object"}}
    tag = find_tag([*tags.values()])
    return {} if tag is None else {path: each[tag] for path, each in tags.items()}


def _match_equal(
    old: Mapping[SchemaPath, _Alternative], new: Mapping[SchemaPath, _Alternative]
) -> Iterator[tuple[SchemaPath, SchemaPath]]:
    """Yield the paths of equal alternatives, each once."""
    paths: dict[str, list[SchemaPath]] = {}
    for path, each in new.items():
        paths.setdefault(each.text, []).append(path)
    for path, each in old.items():
        if found := paths.get(each.text):
            yield path, found.pop(0)


def _is_either_covered(old: SchemaNode, new: SchemaNode) -> bool:
    """Return True if one alternative admits all values of the other."""
    pair = old.constraints, new.constraints
    return covers(*pair) or covers(*pair[::-1])


def _overlap(old: SchemaNode, new: SchemaNode) -> bool:
    """Return True if one value may fit both alternatives."""
    return _have_the_same_types(old, new) and not are_disjoint(old.constraints, new.constraints)


def _have_the_same_types(old: SchemaNode, new: SchemaNode) -> bool:
    """Return True if the alternatives have the same types."""
    return type_names(old) == type_names(new)
