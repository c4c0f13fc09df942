"""The idempotency key of a call: checks and reads the one in its `_meta`, or derives one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

from toolaccord.call.context import IncomingCall
from toolaccord.contract.policies import Idempotency
from toolaccord.declarations.tool import Server
from toolaccord.handler import IdempotencyKey
from toolaccord.json_values import JsonObject, digest_json
from toolaccord.schema.violations import Violation
from toolaccord.sources import Source
from toolaccord.timing.clock import Clock

if TYPE_CHECKING:
    from toolaccord.sources.redis.api import Redis
    from toolaccord.sources.redis.idempotency import KeyStore
    from toolaccord.sources.redis.shared_store import SharedStore

META = "idempotency_key"
"""The member of `_meta` that holds the key."""

_KEY = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
_MAX_CALLER_CHARACTERS = 128
_PROVEN = "proven "
"""Prefix of proven identities.

A name that has it is hashed, or it could claim the keys of a token.
"""


def key_violations(idempotency: Idempotency, meta: Mapping[str, Any] | None) -> list[Violation]:
    """Return the violations of the key in *meta*; a call without a key has none."""
    key = (meta or {}).get(META, "none") if "request" in idempotency.key_from else "none"
    if isinstance(key, str) and _KEY.fullmatch(key):
        return []
    return [Violation(f"/_meta/{META}", "pattern", "must be 1 to 128 letters, digits or any of _ . : -")]


def read_key(call: IncomingCall, arguments: JsonObject, clock: Clock) -> IdempotencyKey | None:
    """Return the key of a valid *call*; None if it has none or its tool takes none.

    *arguments* have their defaults filled in. The run of a task has the key of its task. A derived key holds for a
    span of `window_s` seconds of *clock*.
    """
    tool = call.bound.operation
    if tool.idempotency is None:
        return None
    key = call.task_key or ((call.meta or {}).get(META) if "request" in tool.idempotency.key_from else None)
    if key is None and "derived" not in tool.idempotency.key_from:
        return None
    caller, fingerprint = _storable_caller(call), digest_json(arguments)
    if key is None:
        span = int(clock.now().timestamp() // tool.idempotency.window_s)
        key = digest_json([tool.name, tool.version, caller, fingerprint, span])
    return IdempotencyKey(
        tool=tool.name, caller=caller, key=key, fingerprint=fingerprint, window_s=tool.idempotency.window_s
    )


def open_key_stores(
    server: Server[Any], sources: Mapping[str, Source], stores: Mapping[str, SharedStore], clock: Clock
) -> Mapping[str, KeyStore]:
    """Return the stores of keys in Redis, by the tools that have one.

    *stores* are the guards of optional stores.
    """
    stored = [(tool, tool.idempotency.store) for tool in server.tools if tool.idempotency and tool.idempotency.store]
    if not stored:
        return {}
    from toolaccord.sources.redis.idempotency import KeyStore  # noqa: PLC0415 - few servers need it

    return {
        tool.name: KeyStore(
            cast("Redis", sources[name]),
            clock,
            server=server.name,
            marker_ms=max(tool.timeout_ms, round(1000 * tool.task.redeliver_after_s) if tool.task else 0),
            renews=bool(tool.asks or tool.task),
            guard=None if server.needs_keys(tool) else stores[name],
        )
        for tool, name in stored
    }


def _storable_caller(call: IncomingCall) -> str:
    """Return the proven identity of the caller of *call*, or else the name that it gives itself.

    A name that a database cannot store, or that looks like a proven identity, is hashed.
    """
    if call.identity:
        return f"{_PROVEN}{call.identity}"
    name = call.caller
    if len(name) <= _MAX_CALLER_CHARACTERS and name.isprintable() and not name.startswith(_PROVEN):
        return name
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
