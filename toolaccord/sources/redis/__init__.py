"""Redis source. Importing this package does not load redis-py."""

from __future__ import annotations

from toolaccord.sources.redis.api import Redis, RedisError, RedisFailure, Script, Value
from toolaccord.sources.redis.declaration import RedisSource

__all__ = ["Redis", "RedisError", "RedisFailure", "RedisSource", "Script", "Value"]
