"""Descriptions of queries: what PostgreSQL tells of their parameters, columns and effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolaccord.contract.operations import Privilege


@dataclass(frozen=True, slots=True)
class SqlType:
    """A type of PostgreSQL."""

    name: str
    """Its name, that of the items for an array, that of the base type for a domain."""
    is_array: bool = False
    values: tuple[str, ...] = ()
    """The values of an enum; none for other types."""

    def __str__(self) -> str:
        return f"{self.name}[]" if self.is_array else self.name


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a query's rows."""

    name: str
    type: SqlType
    is_nullable: bool = True
    """False where it is proved that no row has a null."""
    values: tuple[str, ...] = ()
    """The only texts that a constraint admits; empty without one."""
    place: int | None = None
    """The offset of its expression in the query's text; None where nobody can tell."""


@dataclass(frozen=True, slots=True)
class Description:
    """The parameters, columns and needs of a query."""

    parameters: Mapping[str, SqlType] = field(default_factory=dict)
    columns: tuple[Column, ...] = ()
    privileges: Mapping[str, tuple[Privilege, ...]] = field(default_factory=dict)
    """The privileges that its role needs, by table."""
