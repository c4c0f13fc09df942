"""Redis source. Importing this package does not load redis-py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord.contract.source_kinds import redis
from toolaccord.sources.redis.api import Redis, RedisError, RedisFailure, Script, Value
from toolaccord.timing.clock import Clock

__all__ = ["Redis", "RedisError", "RedisFailure", "RedisSource", "Script", "Value"]


class RedisSource(redis.RedisSource):
    """A Redis, as the contract declares it."""

    __slots__ = ()

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Redis:
        """Return the Redis, not yet connected; one without an address never connects."""
        if not settings[self.url]:
            from toolaccord.sources.redis.absent import AbsentRedis  # noqa: PLC0415 - most have an address

            return AbsentRedis()
        from toolaccord.sources.redis.client import RedisClient  # noqa: PLC0415 - only servers that open one need it

        return RedisClient(self, str(settings[self.url]), clock)
