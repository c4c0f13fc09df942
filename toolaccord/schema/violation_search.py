"""Search for the violations of a value, bounded in time and number.

The validator itself makes every violation of a value, which takes minutes for the largest body. So it only decides
which places are valid, and this search visits the others, level by level, until it has found enough.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeAlias

from toolaccord.json_values import JsonObject
from toolaccord.schema.json_safety import unrepresentable_reason
from toolaccord.schema.violations import MAX_VIOLATIONS, Path, Violation, describe_keyword, json_pointer

if TYPE_CHECKING:
    from jsonschema_rs import Validator

Found: TypeAlias = tuple[Path, Violation]
"""A violation and its path; two places may share a pointer, because long ones are cut."""

MAX_VISITED = 1000
"""Number of places that a search visits in a value with too many of them."""
_OF_MEMBERS = {"properties", "items", "additionalProperties", "propertyNames"}
"""Keywords whose violations are those of a member."""
_OF_SIZE = {"type", "minItems", "maxItems", "minProperties", "maxProperties"}
"""Keywords that are checked in the same time for arrays and objects of any size."""
_ANNOTATIONS = {"title", "description", "default", "examples", "deprecated", "$comment"}


class SchemaNode:
    """A schema or a part of one; validators are compiled on first use."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema if isinstance(schema, dict) else {}
        self._is_false = schema is False

    @cached_property
    def validator(self) -> Validator:
        """Validator of the whole schema; formats are asserted."""
        return _compile(not self._is_false and self._schema)

    def broken_keywords(self, value: Any, *, shallow: bool) -> Iterator[tuple[str, str]]:
        """Yield each keyword that *value* itself breaks, with the requirement.

        With *shallow*, only those that need not look at the members of an array or object.
        """
        if self._is_false:
            yield "falseSchema", describe_keyword("falseSchema", None)
        shallow = shallow and isinstance(value, dict | list)
        for keyword, check in self._checks.items():
            if (not shallow or keyword in _OF_SIZE) and not check.is_valid(value):
                yield keyword, describe_keyword(keyword, self._schema[keyword])

    def missing_names(self, value: Any) -> Iterator[str]:
        """Yield the required names that *value* does not have."""
        if isinstance(value, dict):
            yield from (name for name in self._schema.get("required", ()) if name not in value)

    def unknown_names(self, value: Any) -> Iterator[str]:
        """Yield the names in *value* that the schema does not admit."""
        if isinstance(value, dict) and self._schema.get("additionalProperties") is False:
            yield from (name for name in value if name not in self._properties)

    def misnamed(self, value: Any) -> Iterator[str]:
        """Yield the names in *value* that `propertyNames` rejects."""
        if isinstance(value, dict) and (names := self._names):
            yield from (name for name in value if not names.validator.is_valid(name))

    def members(self, value: Any) -> Iterator[tuple[str | int, SchemaNode, Any]]:
        """Yield name or index, schema and value of each member that the schema describes."""
        if isinstance(value, dict):
            yield from ((name, node, value[name]) for name, node in self._properties.items() if name in value)
            if others := self._others:
                yield from ((name, others, value[name]) for name in value if name not in self._properties)
        elif isinstance(value, list) and (items := self._items):
            yield from ((index, items, item) for index, item in enumerate(value))

    @cached_property
    def _checks(self) -> dict[str, Validator]:
        """Validators of single keywords. Those that act only beside others are left out."""
        keywords = self._schema.keys() - _OF_MEMBERS - _ANNOTATIONS - {"required"}
        return {each: _compile(self._rule(each)) for each in self._schema if each in keywords}

    def _rule(self, keyword: str) -> JsonObject:
        """Return the schema of one keyword.

        `multipleOf` is slow for huge numbers, so it is checked only within the schema's own bounds.
        """
        rule = {keyword: self._schema[keyword]}
        if keyword != "multipleOf":
            return rule
        return {
            "if": {each: self._schema[each] for each in ("minimum", "maximum") if each in self._schema},
            "then": rule,
        }

    @cached_property
    def _properties(self) -> dict[str, SchemaNode]:
        return {name: SchemaNode(part) for name, part in self._schema.get("properties", {}).items()}

    @cached_property
    def _others(self) -> SchemaNode | None:
        others = self._schema.get("additionalProperties")
        return SchemaNode(others) if isinstance(others, dict) else None

    @cached_property
    def _names(self) -> SchemaNode | None:
        return SchemaNode(self._schema["propertyNames"]) if "propertyNames" in self._schema else None

    @cached_property
    def _items(self) -> SchemaNode | None:
        return SchemaNode(self._schema["items"]) if "items" in self._schema else None


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in a value."""

    node: SchemaNode
    value: Any
    path: Path

    def members(self) -> Iterator[_Place]:
        """Yield the members that the schema describes."""
        return (_Place(node, member, (*self.path, name)) for name, node, member in self.node.members(self.value))

    def own_violations(self, *, shallow: bool) -> Iterator[Found]:
        """Yield the violations of the place itself."""
        if reason := unrepresentable_reason(self.value, len(self.path)):
            yield _found(self.path, "type", reason)
            return
        for keyword, message in self.node.broken_keywords(self.value, shallow=shallow):
            yield _found(self.path, keyword, message)
        for name in self.node.missing_names(self.value):
            yield _found((*self.path, name), "required", "is required")

    def unknown_members(self) -> Iterator[Found]:
        """Yield the members that the schema does not admit."""
        for name in self.node.misnamed(self.value):
            yield _found((*self.path, name), "propertyNames", "has a name that is not allowed")
        for name in self.node.unknown_names(self.value):
            yield _found((*self.path, name), "additionalProperties", "is not known")


def find_violations(root: SchemaNode, value: Any) -> list[Found]:
    """Return the first violations of an invalid *value*, at most `MAX_VIOLATIONS`.

    Unknown members and those with a wrong name are last. Only invalid places are visited.
    """
    found: list[Found] = []
    unknown: Iterator[Found] = iter(())
    pending = deque([_Place(root, value, ())])
    while pending and len(found) < MAX_VIOLATIONS:
        place = pending.popleft()
        own = list(place.own_violations(shallow=False))
        invalid = (member for member in place.members() if not member.node.validator.is_valid(member.value))
        # Each pending place has a violation, so there need not be more of them than violations to be found. One member
        # is looked for in any case: without it, the place itself would be named.
        room = max(MAX_VIOLATIONS - len(found) - len(own) - len(pending), 1)
        first_invalid, others = list(islice(invalid, room)), list(islice(place.unknown_members(), MAX_VIOLATIONS))
        if not (own or first_invalid or others):
            own = [_found(place.path, "schema", "breaks a rule of its schema")]
        found += own
        pending += first_invalid
        unknown = chain(unknown, others)
    return [*found, *unknown][:MAX_VIOLATIONS]


def find_shallow_violations(root: SchemaNode, value: Any) -> list[Found]:
    """Return violations in the first thousand places of *value*, level by level.

    Arrays and objects are checked for type, size and missing names alone, so that the search takes the same time
    for a value of any size.
    """
    found: list[Found] = []
    level = [_Place(root, value, ())]
    visits = MAX_VISITED
    while level and len(found) < MAX_VIOLATIONS:
        found += chain.from_iterable(place.own_violations(shallow=True) for place in level)
        visits -= len(level)
        level = list(islice(chain.from_iterable(place.members() for place in level), max(visits, 0)))
    return found[:MAX_VIOLATIONS]


def _found(path: Path, keyword: str, message: str) -> Found:
    return path, Violation(json_pointer(path), keyword, message)


def _compile(schema: Any) -> Validator:
    """Return a validator that matches patterns in a time that grows with the length of a text."""
    from jsonschema_rs import Draft202012Validator, RegexOptions  # noqa: PLC0415 - tools/list does without it

    return Draft202012Validator(schema, validate_formats=True, offline=True, pattern_options=RegexOptions())
