"""Markers of fields, from which contract.schema.json and the reading of JSON follow.

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


class Required:
    """Marks a field with a default that a contract must have nevertheless."""
