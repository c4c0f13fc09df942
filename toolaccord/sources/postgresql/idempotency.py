"""Idempotent writes: the answer is stored under its key, in the transaction of the write.

The table is `idempotency_keys` (caller, tool, key, fingerprint, expires_at, answer).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Protocol, TypeVar, cast

from pydantic import TypeAdapter

from toolaccord.errors import IdempotencyConflict
from toolaccord.handler import IdempotencyKey
from toolaccord.json_values import JsonObject
from toolaccord.sources.postgresql.api import Postgresql, Statements

R = TypeVar("R")

_CLAIM = """
INSERT INTO idempotency_keys (caller, tool, key, fingerprint, expires_at)
SELECT $1, $2, $3, $4, $5::timestamptz FROM set_config('synchronous_commit', 'on', true)
ON CONFLICT (caller, tool, key) DO UPDATE
SET fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, answer = NULL
WHERE idempotency_keys.expires_at <= $6
RETURNING key
"""
"""Waits while another transaction holds the key.

Returns no row, but locks the stored one, if the key is in force. set_config is SET LOCAL synchronous_commit without a
round trip of its own: the commit of a keyed write reaches the disk before its answer, whatever the database's default.
"""

_FIND = "SELECT fingerprint, answer FROM idempotency_keys WHERE caller = $1 AND tool = $2 AND key = $3"

_STORE = "UPDATE idempotency_keys SET answer = $4 WHERE caller = $1 AND tool = $2 AND key = $3 RETURNING answer"

_DELETE_EXPIRED = """
DELETE FROM idempotency_keys
WHERE (caller, tool, key) IN (
    SELECT caller, tool, key FROM idempotency_keys
    WHERE expires_at <= $1
    ORDER BY expires_at
    LIMIT 10
    FOR UPDATE SKIP LOCKED
)
"""
"""Runs with each new key, so that the table holds little more than the keys in force."""


class KeyedCall(Protocol):
    """The call record of a server with tools that take idempotency keys."""

    @property
    def idempotency(self) -> IdempotencyKey | None:
        """Key of the call; None without one."""

    @property
    def now(self) -> datetime:
        """Time of the call."""


class _NothingWritten(Exception):
    """*write* returned None, so the transaction ends without an effect."""


async def write_once(
    call: KeyedCall, postgres: Postgresql, kind: type[R], write: Callable[[Statements], Awaitable[R | None]]
) -> R | None:
    """Return the result of *write* in a transaction; for a repeated key, return the stored one.

    It is of a *kind* that JSON can hold, such as the class of a query's rows. Where it is None, nothing is written,
    and the key is free again. Raises PostgresqlError, IdempotencyConflict for a key that came with other arguments,
    and what *write* raises.
    """
    adapter = _adapter(cast("Any", kind))

    async def write_record() -> JsonObject:
        return {"returned": adapter.dump_python(await _something(write(statements)), mode="json")}

    try:
        async with postgres.transaction() as statements:
            if call.idempotency is None:
                return await _something(write(statements))
            stored = await once(statements, call.idempotency, call.now, write_record)
    except _NothingWritten:
        return None
    returned: R = adapter.validate_python(stored["returned"])
    return returned


async def _something(result: Awaitable[R | None]) -> R:
    """Return the result. Raises _NothingWritten for None."""
    found = await result
    if found is None:
        raise _NothingWritten
    return found


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    """Return the reader and writer of values of *kind* as JSON."""
    return TypeAdapter(kind)


async def once(
    statements: Statements, key: IdempotencyKey | None, now: datetime, write: Callable[[], Awaitable[JsonObject]]
) -> JsonObject:
    """Return the result of *write*; for a repeated key, return the stored one without writing.

    *statements* belong to the transaction in which *write* works: key, answer and written rows are committed together.
    A concurrent call with the same key waits for the first one, and writes itself if that one fails. Without a key,
    every call writes. Raises IdempotencyConflict for a key that came with other arguments, and what *write* raises.
    """
    if key is None:
        return await write()
    columns = (key.caller, key.tool, key.key)
    expires_at = now + timedelta(seconds=key.window_s)
    if await statements.fetch_one(_CLAIM, *columns, key.fingerprint, expires_at, now) is None:
        return _repeated(key, await statements.fetch_one(_FIND, *columns))
    await statements.fetch(_DELETE_EXPIRED, now)
    stored = await statements.fetch_one(_STORE, *columns, await write())
    return _answer(stored)


def _repeated(key: IdempotencyKey, stored: Mapping[str, Any] | None) -> JsonObject:
    """Return the stored answer of a repeated *key*. Raises IdempotencyConflict."""
    if stored is not None and stored["fingerprint"] != key.fingerprint:
        raise IdempotencyConflict(key.key)
    key.replay.is_set = True
    return _answer(stored)


def _answer(row: Mapping[str, Any] | None) -> JsonObject:
    """Return the answer in *row*, which this transaction has written or locked.

    Raises LookupError without a row.
    """
    if row is None:
        raise LookupError("an idempotency key was deleted while it was locked")
    answer: JsonObject = row["answer"]
    return answer
