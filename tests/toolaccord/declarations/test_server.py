from dataclasses import replace
from typing import Any

from tests.toolaccord.demo import forecast
from toolaccord.contract.policies import Idempotency, RateLimit, TaskPolicy
from toolaccord.declarations.events import Event
from toolaccord.declarations.tool import Server


async def load(_request: Any) -> int:
    raise NotImplementedError


def with_tool(**keys: Any) -> Server[Any]:
    """Return the forecast, whose tool has a cache in `state`, with other keys."""
    server = forecast.server(load)
    return replace(server, tools=(replace(server.tools[0], **keys),))


def test_a_source_that_holds_only_caches_and_limits_is_dispensable() -> None:
    assert with_tool().dispensable_sources == {"state"}
    limit = RateLimit(calls=1, window_s=1, store="state")
    assert with_tool(cache=None, rate_limit=limit).dispensable_sources == {"state"}


def test_a_source_that_also_holds_tasks_is_dispensable_as_calls_are_answered_without_them() -> None:
    task = TaskPolicy(mode="optional", store="state")
    assert with_tool(cache=None, task=task).dispensable_sources == {"state"}


def test_a_source_that_a_tool_needs_is_not_dispensable() -> None:
    keys = Idempotency(key_from=("request",), window_s=1, store="state")
    event = Event(name="rain", source="state", channel="rain", payload={}, nullable=False)
    assert with_tool(reads=("state",)).dispensable_sources == frozenset()
    assert with_tool(writes=("state",)).dispensable_sources == frozenset()
    assert with_tool(idempotency=keys).dispensable_sources == frozenset()
    assert replace(with_tool(), events=(event,)).dispensable_sources == frozenset()
    assert with_tool(cache=None).dispensable_sources == frozenset(), "nothing uses it"
