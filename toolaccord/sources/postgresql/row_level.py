"""PostgreSQL with row-level security: each transaction of a call knows its caller."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from toolaccord.handler import Caller
from toolaccord.sources.postgresql.pool import PostgresqlPool
from toolaccord.sources.postgresql.reading import PostgresqlReads
from toolaccord.sources.postgresql.session import Session, SingleStatements

_SET_UNTIL_END = "SELECT set_config($1, $2, true)"
"""SET LOCAL with values.

A pooler of transactions may give the connection to others afterwards.
"""


class RowLevelPool(PostgresqlPool):
    """A PostgreSQL database whose policies decide by the caller.

    Outside of calls, as in `lifespan`, no transaction has a caller.
    """

    def as_seen_by(self, caller: Caller | None, /) -> CallersRows:
        """Return the database as a *caller* sees it."""
        claims = json.dumps(list_claims(caller), separators=(",", ":"))  # whose numbers may be too large for orjson
        return CallersRows(self, self._limits.caller_parameter or "", claims)


class CallersRows(SingleStatements):
    """A PostgreSQL database as one caller sees it."""

    def __init__(self, pool: PostgresqlPool, parameter: str, claims: str) -> None:
        self._pool = pool
        self._parameter = parameter
        self._claims = claims

    def __getattr__(self, name: str) -> Any:
        """Return a member of the pool that has nothing to do with the caller."""
        return getattr(self._pool, name)

    def reading(self, rejection: str) -> PostgresqlReads:
        """Return the database for statements that change nothing; others raise UndeclaredEffect."""
        return PostgresqlReads(self, (), rejection)

    @asynccontextmanager
    async def session(self, *, only_reads: bool = False) -> AsyncIterator[Session]:
        """Provide a connection for the statements of one transaction. Raises PostgresqlError."""
        async with self.transaction(only_reads=only_reads) as session:
            yield session

    @asynccontextmanager
    async def transaction(self, *, only_reads: bool = False) -> AsyncIterator[Session]:
        """Run several statements in one transaction. Raises PostgresqlError."""
        async with self._pool.transaction(only_reads=only_reads) as session:
            await session.fetch_values(_SET_UNTIL_END, self._parameter, self._claims)
            yield session


def list_claims(caller: Caller | None) -> dict[str, Any]:
    """Return the claims of a *caller* by RFC 9068's names; none without one.

    Those of the record take precedence, so that a token of the operator has them too.
    """
    if caller is None:
        return {}
    own = {
        "iss": caller.issuer,
        "sub": caller.subject,
        "client_id": caller.client,
        "scope": " ".join(sorted(caller.scopes)),
    }
    return {**caller.claims, **{name: value for name, value in own.items() if value}}
