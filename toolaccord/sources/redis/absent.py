"""The Redis of an operator who has none."""

from __future__ import annotations

from typing import Any, ClassVar

from toolaccord.sources.redis.api import RedisError

_NO_ADDRESS = "it has no address; set that in its setting"


class AbsentRedis:
    """A Redis without an address: it needs no connection, and no operation succeeds."""

    kind: ClassVar = "redis"
    """Kind of the system that would answer."""

    async def start(self) -> None:
        """Connect to nothing."""

    async def check(self) -> None:
        """Find nothing wrong: the operator wants it so."""

    async def close(self) -> None:
        """Close nothing."""

    async def get(self, *_: Any, **__: Any) -> Any:
        """Raise RedisError."""
        raise RedisError(_NO_ADDRESS, reason=_NO_ADDRESS)

    set = delete = run_script = publish = get
