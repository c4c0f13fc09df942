"""The desk, whose replicas share a Redis."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.toolaccord.demo.desk import Clerk
from tests.toolaccord.generated.demo.desk.server import DeskCall, server
from toolaccord.contract.settings import Setting
from toolaccord.server.main import run
from toolaccord.sources.redis import Redis, RedisSource

REDIS = RedisSource(name="shared", url="redis_url", max_connections=4, connection_timeout_s=2, timeout_s=2, retries=0)
REDIS_URL = Setting(
    name="redis_url",
    env="REDIS_URL",
    description="Redis of the replicas",
    schema={"type": "string"},
    default=None,
    required=True,
    secret=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedCall(DeskCall):
    """A call of the desk with its Redis."""

    shared: Redis


if __name__ == "__main__":
    alone = server(Clerk())
    raise SystemExit(run(replace(alone, call=SharedCall, sources=(REDIS,), settings=(*alone.settings, REDIS_URL))))
