"""Calls that come again under their caller's key: written once, and answered alike."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from toolpact.json_values import JsonObject
from toolpact.schema.violations import Violation
from toolpact.sources.postgresql import Statements

META = "idempotency_key"
"""The member of `_meta` that holds a call's key."""

_KEY = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
_LONGEST_CALLER = 128

_CLAIM = """
INSERT INTO idempotency_keys (caller, tool, key, fingerprint, expires_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (caller, tool, key) DO UPDATE
SET fingerprint = excluded.fingerprint, expires_at = excluded.expires_at, answer = NULL
WHERE idempotency_keys.expires_at <= $6
RETURNING key
"""
"""Waits while another transaction holds the key; gives no row, but locks the old one, where the key is in force."""

_FIND = "SELECT fingerprint, answer FROM idempotency_keys WHERE caller = $1 AND tool = $2 AND key = $3"

_STORE = "UPDATE idempotency_keys SET answer = $4 WHERE caller = $1 AND tool = $2 AND key = $3 RETURNING answer"

_FORGET = """
DELETE FROM idempotency_keys
WHERE (caller, tool, key) IN (
    SELECT caller, tool, key FROM idempotency_keys
    WHERE expires_at <= $1
    ORDER BY expires_at
    LIMIT 10
    FOR UPDATE SKIP LOCKED
)
"""
"""Each new key makes room for itself: the table stays as large as what is in force."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """By what a call is known when it comes again."""

    tool: str
    """The tool that is called."""
    caller: str
    """Who calls; the keys of two callers are strangers."""
    key: str
    """What the caller calls this call."""
    fingerprint: str
    """Equal for equal arguments."""
    window_s: int
    """Seconds for which the key is remembered."""


class ConflictError(Exception):
    """A key came again with other arguments."""


def violations(meta: Mapping[str, Any] | None) -> list[Violation]:
    """Return what is wrong with the key in *meta*; a call without one is in order."""
    given = (meta or {}).get(META, "none")
    if isinstance(given, str) and _KEY.fullmatch(given):
        return []
    return [Violation(f"/_meta/{META}", "pattern", "must be 1 to 128 letters, digits or any of _ . : -")]


def key_of(
    tool: str, window_s: int, arguments: JsonObject, *, caller: str, meta: Mapping[str, Any] | None
) -> IdempotencyKey | None:
    """Return the key of a call whose *meta* is in order and whose *arguments* are complete; None where it has none."""
    key = (meta or {}).get(META)
    if key is None:
        return None
    said = json.dumps(arguments, sort_keys=True).encode()
    return IdempotencyKey(
        tool=tool,
        caller=_storable(caller),
        key=key,
        fingerprint=sha256(said).hexdigest(),
        window_s=window_s,
    )


def _storable(caller: str) -> str:
    """Return a client's name as it is, or, where it is no name that a database could keep, a hash of it."""
    if len(caller) <= _LONGEST_CALLER and caller.isprintable():
        return caller
    return sha256(caller.encode("utf-8", "surrogatepass")).hexdigest()


async def once(
    statements: Statements, key: IdempotencyKey | None, now: datetime, write: Callable[[], Awaitable[JsonObject]]
) -> JsonObject:
    """Return what *write* returns, as JSON; for a key that came before, what it returned then, without writing.

    *statements* are those of the transaction that *write* works in: key, answer and what is written are committed
    together, or none of them. A second call with the same key waits for the first, and does the work itself if that
    one fails. Raises ConflictError where the key came with other arguments, and whatever *write* raises.
    """
    if key is None:
        return await write()
    name = (key.caller, key.tool, key.key)
    until = now + timedelta(seconds=key.window_s)
    if await statements.fetch_one(_CLAIM, *name, key.fingerprint, until, now) is None:
        return _answered(key, await statements.fetch_one(_FIND, *name))
    await statements.fetch(_FORGET, now)
    stored = await statements.fetch_one(_STORE, *name, await write())
    return _answer(stored)


def _answered(key: IdempotencyKey, known: Mapping[str, Any] | None) -> JsonObject:
    if known is not None and known["fingerprint"] != key.fingerprint:
        raise ConflictError(f"the key {key.key} of {key.tool} came with other arguments")
    return _answer(known)


def _answer(row: Mapping[str, Any] | None) -> JsonObject:
    """Return the answer that *row* holds; the row is there, because this transaction has written or locked it."""
    if row is None:
        raise LookupError("an idempotency key has gone while it was locked")
    answer: JsonObject = row["answer"]
    return answer
