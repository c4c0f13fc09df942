"""The jobs of the tests, with tasks in the Redis that JOBS_REDIS names."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from tests.toolaccord.demo.jobs import Clerk
from tests.toolaccord.generated.demo.jobs import server as declared
from tests.toolaccord.generated.demo.jobs.models import CountRequest, CountResult
from tests.toolaccord.generated.demo.jobs.server import JobsCall
from toolaccord.contract.policies import TaskPolicy
from toolaccord.contract.settings import Setting
from toolaccord.declarations.tool import Server
from toolaccord.server.main import run
from toolaccord.sources.redis import RedisSource

REDIS = "JOBS_REDIS"
NEVER = 999
"""Number to which nobody counts in time."""


class QuickClerk(Clerk):
    """Counts at once, as the other server does."""

    async def count(self, request: CountRequest, _call: JobsCall, /) -> CountResult:
        """Return the sum of all numbers."""
        if request.to == NEVER:
            await asyncio.Event().wait()
        return CountResult(sum=sum(range(request.to + 1)))


def create_server() -> Server[JobsCall]:
    """Return the server with its tool `count`."""
    policy = TaskPolicy(mode="optional", store="tasks", timeout_s=3600, max_waiting=100_000)
    made = declared.server(QuickClerk())
    setting = Setting(
        name="redis_url", env=REDIS, description="Address of the store", schema={"type": "string"}, required=True
    )
    return replace(
        made,
        tools=tuple(replace(each, task=policy) for each in made.tools if each.name == "count"),
        sources=(RedisSource(name="tasks", url="redis_url"),),
        settings=(setting,),
    )


if __name__ == "__main__":
    raise SystemExit(run(create_server()))
