"""Pair a schema with its old state, and create changes of the pair."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from codegen.breaking.changes import Change, Difference
from codegen.breaking.rule import Direction
from codegen.loading.schema_nodes import Schema, SchemaNode
from codegen.schema_sets.containment import covers
from codegen.schema_sets.samples import SchemaPath


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

    @property
    def changes_openness(self) -> bool:
        """True if only one side admits unnamed members."""
        return self.old.is_closed is not self.new.is_closed

    def with_containment(self) -> SchemaPair:
        """Return the pair with what can be proved about containment."""
        old, new = self.old.constraints, self.new.constraints
        loses_nothing = self.loses_nothing or old == new or covers(new, old)
        return replace(
            self, loses_nothing=loses_nothing, gains_nothing=self.gains_nothing or old == new or covers(old, new)
        )

    def child_pair(self, old: SchemaNode, new: SchemaNode, path: SchemaPath, at: str) -> SchemaPair:
        """Return the pair of two schemas at the same path inside this one."""
        return replace(
            self, old=old, new=new, old_path=(*self.old_path, *path), new_path=(*self.new_path, *path), at=at
        )

    def message(self, text: str) -> str:
        """Return a message about the place."""
        return f"{self.topic.noun} {self.at}: {text}" if self.at else f"{self.topic.whole}: {text}"

    def change(self, rule: str, text: str, **facts: Any) -> Change:
        """Return a change at this place.

        The subject is the place, with *detail* if given.
        """
        topic, detail = self.topic, facts.pop("detail", "")
        return Change(
            rule=rule,
            old=facts.pop("old", self.old.place),
            new=facts.pop("new", self.new.place),
            message=self.message(text),
            tool=topic.tool,
            direction=topic.direction,
            subject=f"{topic.subject}{self.at}{detail}",
            **facts,
        )

    def loss(self, accepting: Schema, rejecting: Schema, *path: str | int) -> Difference:
        """Return the difference for a value that is no longer admitted."""
        return self.difference(accepting, rejecting, (*self.old_path, *path), is_loss=True)

    def gain(self, accepting: Schema, rejecting: Schema, *path: str | int) -> Difference:
        """Return the difference for a value that was not admitted before."""
        return self.difference(accepting, rejecting, (*self.new_path, *path), is_loss=False)

    def difference(self, accepting: Schema, rejecting: Schema, path: SchemaPath, *, is_loss: bool) -> Difference:
        """Return the difference for a witness."""
        old, new = (root.inlined for root in self.roots)
        hint = self.topic.hint
        return Difference(
            accepting=accepting, rejecting=rejecting, path=path, is_loss=is_loss, old=old, new=new, hint=hint
        )
