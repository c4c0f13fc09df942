"""The ledger of the tests, whose entries are tasks in the store that LEDGER_STORE names.

`python -m benchmarks.tasks.ledger_server` serves it, and takes tasks with `--work`.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace

from tests.toolaccord.demo.ledger import Clerk, EnterRequest, EnterResult, LedgerCall, server
from toolaccord.contract.policies import TaskPolicy
from toolaccord.contract.settings import Setting
from toolaccord.declarations.tool import Server
from toolaccord.server.main import run
from toolaccord.sources.nats import NatsSource
from toolaccord.sources.redis import RedisSource

STORE, STORE_URL, PAUSE = "LEDGER_STORE", "LEDGER_STORE_URL", "LEDGER_PAUSE_S"
LEASE_S = 3.0
_STORES = {"redis": RedisSource, "nats": NatsSource}


class SlowClerk(Clerk):
    """Takes its time before each entry, so that kills meet runs."""

    async def enter(self, request: EnterRequest, call: LedgerCall, /) -> EnterResult:
        """Make an entry after a pause."""
        await asyncio.sleep(float(os.environ[PAUSE]))
        return await super().enter(request, call)


def with_tasks(declared: Server[LedgerCall]) -> Server[LedgerCall]:
    """Return the server with tasks of `enter`, in the store of the environment."""
    policy = TaskPolicy(
        mode="optional",
        store="tasks",
        timeout_s=60,
        redeliver_after_s=LEASE_S,
        max_attempts=20,
        concurrency=8,
        max_waiting=100_000,
    )
    source = _STORES[os.environ[STORE]](name="tasks", url="tasks_url")
    setting = Setting(
        name="tasks_url",
        env=STORE_URL,
        description="Address of the store",
        schema={"type": "string"},
        required=True,
        secret=True,
    )
    tools = tuple(replace(each, task=policy) if each.name == "enter" else each for each in declared.tools)
    return replace(declared, tools=tools, sources=(*declared.sources, source), settings=(*declared.settings, setting))


if __name__ == "__main__":
    raise SystemExit(run(with_tasks(server(SlowClerk()))))
