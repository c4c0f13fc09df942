"""Stores without an address: each process does alone what replicas would share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.toolaccord.demo import forecast, ledger
from toolaccord.config.absent_stores import drop_absent_stores
from toolaccord.contract.policies import TaskPolicy
from toolaccord.declarations.tool import Server
from toolaccord.sources.http import HttpSource
from toolaccord.sources.redis import RedisError, RedisSource
from toolaccord.timing.clock import SystemClock


async def _load(_request: Any) -> int:
    return 1


def declare() -> Server[Any]:
    """Return a server whose cache, tasks and pace have a store."""
    declared = forecast.server(_load)
    paced = HttpSource(name="crm", url="crm", requests_per_second=1, store="state")
    task = TaskPolicy(mode="optional", store="state")
    tools = tuple(replace(tool, task=task) for tool in declared.tools)
    return replace(declared, sources=(*declared.sources, paced), tools=tools)


def list_stores(server: Server[Any]) -> list[str | None]:
    kept = ((tool.cache, tool.rate_limit, tool.idempotency, tool.task) for tool in server.tools)
    policies: list[Any] = [policy for each in kept for policy in each if policy]
    policies += [source for source in server.sources if isinstance(source, HttpSource)]
    return [policy.store for policy in policies]


def test_policies_do_without_a_store_that_has_no_address() -> None:
    server = declare()
    assert "state" in list_stores(server)
    (redis,) = (source for source in server.sources if isinstance(source, RedisSource))
    assert {*list_stores(drop_absent_stores(server, {redis.url: ""}))} == {None}
    assert drop_absent_stores(server, {redis.url: "redis://localhost"}) is server


def test_a_source_that_a_tool_needs_stays() -> None:
    server = declare()
    (redis,) = (source for source in server.sources if isinstance(source, RedisSource))
    needing = replace(server, tools=tuple(replace(tool, reads=("state",)) for tool in server.tools))
    assert drop_absent_stores(needing, {redis.url: ""}) is needing


def test_a_server_without_stores_stays_as_it_is() -> None:
    server = ledger.server(ledger.Clerk())
    assert drop_absent_stores(server, {"database_url": ""}) is server


async def test_an_absent_redis_is_no_outage_until_it_is_used() -> None:
    redis = RedisSource(name="state", url="url").open({"url": ""}, SystemClock())
    await redis.start()
    await redis.check()
    with pytest.raises(RedisError, match="it has no address"):
        await redis.set("key", "value", ttl_ms=1)
    await redis.close()
