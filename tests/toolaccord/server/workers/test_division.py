from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest

from tests.toolaccord.demo import library
from tests.toolaccord.generated.demo.desk.server import server as desk
from tests.toolaccord.generated.demo.gate.server import server as gate
from toolaccord.config.absent_stores import drop_absent_stores
from toolaccord.contract.policies import RateLimit, TaskPolicy
from toolaccord.declarations.tool import Server
from toolaccord.server.startup import UnsuitableOption
from toolaccord.server.workers.division import divide
from toolaccord.sources.grpc import GrpcSource
from toolaccord.sources.http import HttpSource
from toolaccord.sources.postgresql import PostgresqlSource
from toolaccord.sources.redis import RedisSource

SETTINGS = {"mcp_cache_bytes": 1001, "mcp_max_connections": 1000, "mcp_grace_s": 10}
REDIS = RedisSource(name="state", url="redis_url", max_connections=10)


def serve(*sources: Any, **changes: Any) -> Server[Any]:
    return replace(library.server(library.Librarian()), sources=sources, **changes)


def test_limits_of_the_process_and_of_sources_are_divided() -> None:
    postgresql = PostgresqlSource(name="shelf", url="url", min_connections=3, max_connections=11)
    web = HttpSource(name="web", url="url", max_connections=10, requests_per_second=3)
    server, settings = divide(serve(postgresql, web), SETTINGS, 2)
    assert settings == {"mcp_cache_bytes": 500, "mcp_max_connections": 500, "mcp_grace_s": 10}
    divided: list[Any] = list(server.sources)
    assert (divided[0].min_connections, divided[0].max_connections) == (1, 5)
    assert (divided[1].max_connections, divided[1].requests_per_second) == (5, 1.5)


def test_one_connection_of_grpc_is_enough_for_each_worker() -> None:
    source = GrpcSource(name="engine", target="target", max_connections=1, max_in_flight=100)
    server, _ = divide(serve(source), SETTINGS, 4)
    assert server.sources == (replace(source, max_in_flight=25),)


def test_a_pool_that_is_too_small_is_named_with_its_variable() -> None:
    with pytest.raises(UnsuitableOption) as rejected:
        divide(serve(PostgresqlSource(name="shelf", url="url", max_connections=2)), SETTINGS, 3)
    assert str(rejected.value) == (
        "--workers 3: the limit SHELF_MAX_CONNECTIONS is 2, and each worker needs one; set it to 3 or more."
    )


def test_sessions_need_one_process_or_a_store() -> None:
    with pytest.raises(
        UnsuitableOption, match="set MCP_SESSION_STORE_URL to a Redis that keeps the sessions, or start"
    ):
        divide(serve(sessions=True), SETTINGS, 2)
    divide(serve(sessions=True), SETTINGS | {"mcp_session_store_url": "redis://store"}, 2)


def test_asks_need_a_key_that_all_workers_have() -> None:
    asking = desk(Mock())
    stored = SETTINGS | {"mcp_session_store_url": "redis://store"}
    with pytest.raises(UnsuitableOption, match="a key of its own; set MCP_STATE_KEY"):
        divide(asking, stored, 2)
    divide(asking, stored | {"mcp_state_key": "k" * 32}, 2)


def test_a_rate_limit_needs_a_store_for_several_workers() -> None:
    with pytest.raises(UnsuitableOption, match="the whole rate limit of knock; name a Redis source as the store"):
        divide(gate(Mock()), SETTINGS, 2)
    shared = RateLimit(per="caller", calls=3, window_s=60, store="state")
    tools = tuple(replace(tool, rate_limit=shared) for tool in library.server(library.Librarian()).tools)
    divide(serve(REDIS, tools=tools), SETTINGS, 2)


def test_tasks_in_memory_need_one_process() -> None:
    tasks = TaskPolicy(mode="optional", store="state")
    tools = tuple(replace(tool, task=tasks) for tool in library.server(library.Librarian()).tools)
    declared = serve(REDIS, tools=tools)
    divide(declared, SETTINGS, 2)
    with pytest.raises(UnsuitableOption, match="memory of one process"):
        divide(drop_absent_stores(declared, {"redis_url": ""}), SETTINGS, 2)
