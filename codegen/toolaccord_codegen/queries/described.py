"""Queries of servers with their descriptions, and the handlers that call them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from toolaccord_codegen.queries.descriptions import Description
from toolaccord_codegen.queries.files import NamedQuery


@dataclass(frozen=True, slots=True)
class DescribedQuery:
    """A query and its description."""

    query: NamedQuery
    description: Description


@dataclass(frozen=True, slots=True)
class ServerQueries:
    """The queries of a server."""

    queries: tuple[DescribedQuery, ...] = ()
    uses: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The functions of queries that each function of the handlers calls."""
    runs_own_sql: bool = False
    """True where the handlers also send statements that no SQL file has."""

    def used_by(self, function: str) -> tuple[DescribedQuery, ...]:
        """Return the queries that a handler calls."""
        names = self.uses.get(function, frozenset())
        return tuple(each for each in self.queries if each.query.function in names)

    @property
    def feeding(self) -> tuple[DescribedQuery, ...]:
        """Return the queries that feed tools."""
        return tuple(each for each in self.queries if each.query.returns is not None)

    def list_feeding(self, tool: str) -> tuple[DescribedQuery, ...]:
        """Return the queries that feed a tool."""
        return tuple(each for each in self.queries if each.query.returns == tool)

    def digest(self) -> str:
        """Return a hash of what generated code has of them."""
        heads = [
            (each.name, each.kind, each.returns, each.nullable, each.description, each.text) for each in self._named
        ]
        described = [repr(each.description) for each in self.queries]
        return hashlib.sha256(json.dumps([heads, described, self.runs_own_sql]).encode()).hexdigest()

    @property
    def _named(self) -> list[NamedQuery]:
        return [each.query for each in self.queries]


NO_QUERIES = ServerQueries()
