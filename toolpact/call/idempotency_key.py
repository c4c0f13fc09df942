"""The idempotency key of a call: reads and checks the one in its `_meta`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from toolpact.call.context import IncomingCall
from toolpact.handler import IdempotencyKey
from toolpact.json_values import JsonObject
from toolpact.schema.violations import Violation

META = "idempotency_key"
"""The member of `_meta` that holds the key."""

_KEY = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
_MAX_CALLER_CHARACTERS = 128


def key_violations(meta: Mapping[str, Any] | None) -> list[Violation]:
    """Return the violations of the key in *meta*; a call without a key has none."""
    key = (meta or {}).get(META, "none")
    if isinstance(key, str) and _KEY.fullmatch(key):
        return []
    return [Violation(f"/_meta/{META}", "pattern", "must be 1 to 128 letters, digits or any of _ . : -")]


def read_key(call: IncomingCall, arguments: JsonObject) -> IdempotencyKey | None:
    """Return the key of a valid *call*; None if it has none or its tool takes none.

    *arguments* have their defaults filled in.
    """
    tool = call.bound.tool
    if tool.idempotency is None:
        return None
    key = (call.meta or {}).get(META)
    if key is None:
        return None
    return IdempotencyKey(
        tool=tool.name,
        caller=_storable(call.caller),
        key=key,
        fingerprint=sha256(json.dumps(arguments, sort_keys=True).encode()).hexdigest(),
        window_s=tool.idempotency.window_s,
    )


def _storable(caller: str) -> str:
    """Return the caller's name; if a database cannot store it, return its hash."""
    if len(caller) <= _MAX_CALLER_CHARACTERS and caller.isprintable():
        return caller
    return sha256(caller.encode("utf-8", "surrogatepass")).hexdigest()
