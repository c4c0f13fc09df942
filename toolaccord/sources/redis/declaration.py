"""Redis source as a contract declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolaccord.sources.redis.api import Redis, RedisLimits
from toolaccord.timing.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisSource(RedisLimits):
    """A Redis, as the contract declares it."""

    kind: ClassVar = "redis"
    """Kind of the system that answers."""
    url: str
    """Name of the setting that holds the URL."""

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Redis:
        """Return the Redis, not yet connected; one without an address never connects."""
        if not settings[self.url]:
            from toolaccord.sources.redis.absent import AbsentRedis  # noqa: PLC0415 - most have an address

            return AbsentRedis()
        from toolaccord.sources.redis.client import RedisClient  # noqa: PLC0415 - only servers that open one need it

        return RedisClient(self, str(settings[self.url]), clock)
