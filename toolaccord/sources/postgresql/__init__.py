"""PostgreSQL source. Importing this package does not load asyncpg."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord.contract.source_kinds import postgresql
from toolaccord.sources.postgresql.api import Postgresql, PostgresqlError, Row, Statements
from toolaccord.timing.clock import Clock

__all__ = ["Postgresql", "PostgresqlError", "PostgresqlSource", "Row", "Statements"]


class PostgresqlSource(postgresql.PostgresqlSource):
    """A PostgreSQL database, as the contract declares it."""

    __slots__ = ()

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Postgresql:
        """Return the database, not yet connected."""
        from toolaccord.sources.postgresql.pool import PostgresqlPool  # noqa: PLC0415 - only servers that open one need it

        if self.caller_parameter is None:
            return PostgresqlPool(self, str(settings[self.url]), clock)
        from toolaccord.sources.postgresql.row_level import RowLevelPool  # noqa: PLC0415 - few servers need it

        return RowLevelPool(self, str(settings[self.url]), clock)
