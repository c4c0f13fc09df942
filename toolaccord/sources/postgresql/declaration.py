"""PostgreSQL source as a contract declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolaccord.sources.postgresql.api import Postgresql, PostgresqlLimits
from toolaccord.timing.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresqlSource(PostgresqlLimits):
    """A PostgreSQL database, as the contract declares it."""

    kind: ClassVar = "postgresql"
    """Kind of the system that answers."""
    url: str
    """Name of the setting that holds the connection URL."""

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Postgresql:
        """Return the database, not yet connected."""
        from toolaccord.sources.postgresql.pool import PostgresqlPool  # noqa: PLC0415 - only servers that open one need it

        if self.caller_parameter is None:
            return PostgresqlPool(self, str(settings[self.url]), clock)
        from toolaccord.sources.postgresql.row_level import RowLevelPool  # noqa: PLC0415 - few servers need it

        return RowLevelPool(self, str(settings[self.url]), clock)
