"""Markers of fields, from which the language's schema, its reading and its changes follow.

They stand in `Annotated`. A running server never evaluates them, nor imports this module.
"""

from __future__ import annotations

from typing import Any


class Constraint:
    """Keywords of JSON Schema that values of a field must satisfy."""

    def __init__(self, **keywords: Any) -> None:
        self.keywords = keywords


class Definition(Constraint):
    """A name in the `$defs` of the schema, for a type that several fields have.

    Without keywords it names a definition that the compiler has as JSON.
    """

    def __init__(self, name: str, description: str = "", **keywords: Any) -> None:
        super().__init__(**({"description": description} if description else {}), **keywords)
        self.name = name


class Within:
    """Marks a value that stands in an object, as its only member."""

    def __init__(self, key: str) -> None:
        self.key = key


class ByName:
    """Marks records that stand in an object, each under its name."""

    def __init__(self, names: Any) -> None:
        self.names = names


class Shape:
    """Marks a mapping, which stays one, with the typed mapping that names its keys."""

    def __init__(self, members: Any) -> None:
        self.members = members


class Beside(Shape):
    """Marks a mapping whose members stand beside the record's other keys."""


class Others:
    """Marks a mapping of all members that no other key of the record takes, whatever they are."""


class FromKey:
    """Marks the name of a record that is the key under which the record stands."""


class Resolved:
    """Marks a field that no key has: the compiler fills it in."""


class Required:
    """Marks a field with a default that a contract must have nevertheless."""


class Counts:
    """The rules of `breaking` for a field: one for each way in which its value can change.

    A way without a rule counts nothing. Each item of a list that was added or removed is a change of its own, and so is
    each key of a record that both sides have, unless the record *changed* as a whole.
    """

    def __init__(  # noqa: PLR0913 - one for each way
        self,
        changed: str = "",
        *,
        added: str = "",
        removed: str = "",
        raised: str = "",
        lowered: str = "",
        unsaid: float | None = None,
        subject: str | None = None,
        circumstance: str = "",
    ) -> None:
        self.changed, self.added, self.removed, self.raised, self.lowered = changed, added, removed, raised, lowered
        self.unsaid = unsaid
        """The number without the key, where its field has no such default."""
        self.subject = subject
        """A part of the fingerprint, which never changes; the key of a value that *changed* if None."""
        self.circumstance = circumstance
        """A circumstance that affects the level."""

    @property
    def rules(self) -> list[str]:
        """The rules for all ways."""
        return [rule for rule in (self.changed, self.added, self.removed, self.raised, self.lowered) if rule]


class Judged:
    """Says how code judges a change of a field that no table can judge."""

    def __init__(self, how: str) -> None:
        self.how = how


class Uncounted:
    """Says why no change of a field counts."""

    def __init__(self, why: str) -> None:
        self.why = why
