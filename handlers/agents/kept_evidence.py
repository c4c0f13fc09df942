"""Evidence in Redis: signals that wait for their publication."""

from __future__ import annotations

import secrets
from datetime import timedelta

from generated.agents.signal_generator.models import Signal
from toolaccord.sources.redis import Redis, Script

LIFETIME = timedelta(minutes=5)
_PREFIX = "signal-evidence:"
_TAKE = Script("return redis.call('GETDEL', KEYS[1])")


async def keep_evidence(redis: Redis, signal: Signal) -> str:
    """Keep *signal* for LIFETIME, and return a new id that nobody can guess. Raises RedisError.

    A signal has at most 100 strategies, and the tool's rate limit bounds the number of signals.
    """
    evidence_id = f"sig-{secrets.token_hex(16)}"
    value = signal.model_dump_json(exclude_none=True)
    await redis.set(f"{_PREFIX}{evidence_id}", value, ttl_ms=LIFETIME // timedelta(milliseconds=1))
    return evidence_id


async def find_evidence(redis: Redis, evidence_id: str) -> Signal | None:
    """Return the signal under *evidence_id*; None without one. Raises RedisError."""
    value = await redis.get(f"{_PREFIX}{evidence_id}")
    return None if value is None else Signal.model_validate_json(value)


async def take_evidence(redis: Redis, evidence_id: str) -> bool:
    """Remove the evidence; return False if another call took it before. Raises RedisError."""
    return await redis.run_script(_TAKE, [f"{_PREFIX}{evidence_id}"], []) is not None
