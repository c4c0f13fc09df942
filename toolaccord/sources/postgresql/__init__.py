"""PostgreSQL source. Importing this package does not load asyncpg."""

from __future__ import annotations

from toolaccord.sources.postgresql.api import Postgresql, PostgresqlError, Row, Statements
from toolaccord.sources.postgresql.declaration import PostgresqlSource

__all__ = ["Postgresql", "PostgresqlError", "PostgresqlSource", "Row", "Statements"]
