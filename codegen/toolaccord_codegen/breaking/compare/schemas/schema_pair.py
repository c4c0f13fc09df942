"""Pair a schema with its old state, and create changes of the pair."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.breaking.changes import Change, Difference
from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.json_equality import equal_json
from toolaccord_codegen.loading.schema_nodes import Schema, SchemaNode
from toolaccord_codegen.schema_sets.containment import covers
from toolaccord_codegen.schema_sets.samples import SchemaPath
from toolaccord_codegen.schema_sets.validators import admits


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """The owner and the direction of compared schemas."""

    direction: Direction
    noun: str
    """The word for a part of the values: argument, result or setting."""
    whole: str
    """The word for a whole value."""
    tool: str | None = None
    subject: str = ""
    """The start of the fingerprint's subject if the noun is ambiguous."""
    paginated: bool = False
    hint: Any = None
    """A value that the old schema admits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaPair:
    """The old and the new state of a schema, with the paths to them."""

    topic: Topic
    roots: tuple[SchemaNode, SchemaNode]
    """The whole schemas."""
    old: SchemaNode
    new: SchemaNode
    old_path: SchemaPath = ()
    new_path: SchemaPath = ()
    at: str = ""
    """The JSON pointer of its values, with * for any item or unnamed member."""
    loses_nothing: bool = False
    """True if every old value is provably still admitted."""
    gains_nothing: bool = False
    """True if every new value was provably admitted before."""
    elsewhere: tuple[SchemaNode, ...] = ()
    """Other alternatives of the new state."""
    inner_path: tuple[SchemaPath, ...] = ()
    """The steps from the alternative to this place."""

    def with_containment(self) -> SchemaPair:
        """Return the pair with what can be proved about containment."""
        old, new = self.old.constraints, self.new.constraints
        loses_nothing = self.loses_nothing or equal_json(old, new) or covers(new, old)
        gains_nothing = self.gains_nothing or equal_json(old, new) or covers(old, new)
        return replace(self, loses_nothing=loses_nothing, gains_nothing=gains_nothing)

    def child(self, name: str, *path: str) -> SchemaPair:
        """Return the pair at a path inside this one; *name* extends the pointer."""
        old_path, new_path = (*self.old_path, *path), (*self.new_path, *path)
        old, new, at = self.old.child(*path), self.new.child(*path), join_pointer(self.at, name)
        inner_path = (*self.inner_path, path)
        return replace(self, old=old, new=new, old_path=old_path, new_path=new_path, at=at, inner_path=inner_path)

    def names(self) -> SchemaPair:
        """Return the pair of the schemas of members' names."""
        old_path, new_path = (*self.old_path, "propertyNames"), (*self.new_path, "propertyNames")
        old, new, at = self.old.names(), self.new.names(), join_pointer(self.at, "{name}")
        return replace(self, old=old, new=new, old_path=old_path, new_path=new_path, at=at, elsewhere=())

    def member(self, name: str) -> SchemaPair | None:
        """Return the pair of a member; None if one side does not describe it.

        A typed map describes members of any name.
        """
        nodes = [_describe_member(node, name) for node in (self.old, self.new)]
        if nodes[0] is None or nodes[1] is None:
            return None
        return replace(self.child(name, "properties", name), old=nodes[0], new=nodes[1])

    def alternative(
        self, old: SchemaNode, old_path: SchemaPath, new: SchemaNode, new_path: SchemaPath, *, is_tagged: bool
    ) -> SchemaPair:
        """Return the pair of two alternatives.

        What another alternative admits is neither lost nor gained. No other one admits a value that *is_tagged*.
        """
        parts = [[side.constraints, arm.constraints] for side, arm in ((self.old, old), (self.new, new))]
        wholes = [part if is_tagged else whole for whole, part in parts]
        return replace(
            self,
            old=old,
            new=new,
            old_path=(*self.old_path, *old_path),
            new_path=(*self.new_path, *new_path),
            loses_nothing=self.loses_nothing or covers(wholes[1], old.constraints),
            gains_nothing=self.gains_nothing or covers(wholes[0], new.constraints),
            elsewhere=tuple(node for path, node in self.new.branches if path != new_path),
            inner_path=(),
        )

    def has_elsewhere(self, value: Any) -> bool:
        """Return True if another new alternative describes and admits a value here."""
        nodes = (reduce(lambda node, path: node.child(*path), self.inner_path, each) for each in self.elsewhere)
        return any(node.constraints and admits(node.constraints, value) for node in nodes)

    @property
    def is_harmless(self) -> bool:
        """True if provably no argument is lost, or no result is gained."""
        return self.is_impossible(is_loss=self.topic.direction is Direction.INPUT)

    def is_impossible(self, *, is_loss: bool) -> bool:
        """Return True if provably no value is lost, or none is gained."""
        return self.loses_nothing if is_loss else self.gains_nothing

    def sides(self, *, is_loss: bool) -> tuple[SchemaNode, SchemaNode]:
        """Return the side that admits a lost or a gained value, and the other side."""
        return (self.old, self.new) if is_loss else (self.new, self.old)

    def change(self, rule: str, text: str, **facts: Any) -> Change:
        """Return a change at this place.

        The subject is the place, with *detail* if given.
        """
        topic, detail = self.topic, facts.pop("detail", "")
        return Change(
            rule=rule,
            old=facts.pop("old", self.old.place),
            new=facts.pop("new", self.new.place),
            message=f"{topic.noun} {self.at}: {text}" if self.at else f"{topic.whole}: {text}",
            tool=topic.tool,
            direction=topic.direction,
            pointer=facts.pop("pointer", self.at),
            subject=f"{topic.subject}{self.at}{detail}",
            **facts,
        )

    def difference(self, accepting: Schema, rejecting: Schema, *path: str | int, is_loss: bool) -> Difference:
        """Return the difference for a witness: a value that was lost or gained."""
        return Difference(
            accepting=accepting,
            rejecting=rejecting,
            path=(*(self.old_path if is_loss else self.new_path), *path),
            is_loss=is_loss,
            old=self.roots[0].inlined,
            new=self.roots[1].inlined,
            hint=self.topic.hint,
        )


def _describe_member(node: SchemaNode, name: str) -> SchemaNode | None:
    """Return the schema of a member; None if the schema of its object does not describe it."""
    if name in node.properties:
        return node.child("properties", name)
    return node.child("additionalProperties") if node.is_map else None
