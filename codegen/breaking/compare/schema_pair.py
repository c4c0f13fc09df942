"""A schema and what it was, and the changes that can be said of the two."""

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
    """Whose schemas are compared, and which way their values go."""

    direction: Direction
    noun: str
    """What a part of its values is called: argument, result, setting."""
    inlined: str
    """What a whole value is called."""
    tool: str | None = None
    subject: str = ""
    """What a fingerprint begins with, where the noun does not tell schemas apart."""
    paginated: bool = False
    hint: Any = None
    """A value that the old schema admits as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A schema, old and new, and the ways to it."""

    topic: Topic
    roots: tuple[SchemaNode, SchemaNode]
    """The whole schemas."""
    old: SchemaNode
    new: SchemaNode
    old_way: SchemaPath = ()
    new_way: SchemaPath = ()
    at: str = ""
    """Where its values stand: a pointer, with * for any element or any other member."""
    kept: bool = False
    """Whether it is proved that every value of before is admitted still."""
    held: bool = False
    """Whether it is proved that every value that is admitted was before."""

    @property
    def is_opened_or_closed(self) -> bool:
        """Whether one side admits members that are not named, and the other does not."""
        return self.old.is_closed is not self.new.is_closed

    def judged(self) -> Pair:
        """The pair with what can be proved of it."""
        old, new = self.old.constraints, self.new.constraints
        kept = self.kept or old == new or covers(new, old)
        return replace(self, kept=kept, held=self.held or old == new or covers(old, new))

    def inside(self, old: SchemaNode, new: SchemaNode, way: SchemaPath, at: str) -> Pair:
        """The pair of two schemas inside, which the same way leads to."""
        return replace(self, old=old, new=new, old_way=(*self.old_way, *way), new_way=(*self.new_way, *way), at=at)

    def message(self, text: str) -> str:
        """A sentence about the place."""
        return f"{self.topic.noun} {self.at}: {text}" if self.at else f"{self.topic.inlined}: {text}"

    def change(self, rule: str, text: str, **facts: Any) -> Change:
        """A change at this place; its subject is the place unless something more particular is said."""
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

    def lost(self, admits: Schema, refuses: Schema, *way: str | int) -> Difference:
        """What a value has to show that was admitted and is not."""
        return self.difference(admits, refuses, (*self.old_way, *way), lost=True)

    def gained(self, admits: Schema, refuses: Schema, *way: str | int) -> Difference:
        """What a value has to show that was not admitted and is."""
        return self.difference(admits, refuses, (*self.new_way, *way), lost=False)

    def difference(self, admits: Schema, refuses: Schema, way: SchemaPath, *, lost: bool) -> Difference:
        """What a value has to show."""
        old, new = (root.inlined for root in self.roots)
        hint = self.topic.hint
        return Difference(admits=admits, refuses=refuses, way=way, lost=lost, old=old, new=new, hint=hint)
