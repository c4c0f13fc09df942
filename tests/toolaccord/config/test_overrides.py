"""Overrides of the contract's numbers by the environment."""

import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.toolaccord.demo import ledger, library
from tests.toolaccord.process import PATIENCE_S, ROOT, call, data, started
from toolaccord.config.overrides import apply_overrides, list_overrides
from toolaccord.contract.policies import CachePolicy, RateLimit, TaskPolicy
from toolaccord.declarations.settings import SettingsError, read_settings
from toolaccord.declarations.tool import Server
from toolaccord.sources.http import HttpSource
from toolaccord.sources.postgresql import PostgresqlSource

LEDGER = ledger.server(ledger.Clerk())


def apply(environ: Mapping[str, str], server: Server[Any] = LEDGER) -> Server[Any]:
    return apply_overrides(server, read_settings(list_overrides(server), environ))


def limits(server: Server[Any]) -> PostgresqlSource:
    (source,) = server.sources
    assert isinstance(source, PostgresqlSource)
    return source


def test_empty_variables_change_nothing() -> None:
    assert apply({"POSTGRES_MAX_CONNECTIONS": ""}) == LEDGER


def test_every_limit_of_a_source_can_be_replaced() -> None:
    changed = limits(
        apply(
            {
                "POSTGRES_MIN_CONNECTIONS": "0",
                "POSTGRES_MAX_CONNECTIONS": "25",
                "POSTGRES_IDLE_TIMEOUT_S": "60",
                "POSTGRES_CONNECTION_TIMEOUT_S": "0.5",
            }
        )
    )
    assert changed == PostgresqlSource(
        name="postgres",
        system=limits(LEDGER).system,
        url="database_url",
        min_connections=0,
        max_connections=25,
        idle_timeout_s=60,
        connection_timeout_s=0.5,
    )


def test_the_limit_of_a_response_can_be_replaced_and_has_bounds_of_its_own() -> None:
    source = HttpSource(name="iss", url="database_url", max_connections=1, connection_timeout_s=1, timeout_s=1)
    server = replace(LEDGER, sources=(source,))
    (changed,) = apply({"ISS_MAX_RESPONSE_BYTES": "50000000"}, server).sources
    assert changed == replace(source, max_response_bytes=50_000_000)
    for wrong in ("0", "1023", "10000000000"):
        with pytest.raises(SettingsError, match="ISS_MAX_RESPONSE_BYTES"):
            apply({"ISS_MAX_RESPONSE_BYTES": wrong}, server)


def test_the_ttl_of_a_cache_can_be_replaced() -> None:
    assert apply({"COUNT_ENTRIES_CACHE_TTL_S": "2.5"}).tools[2].cache == CachePolicy(ttl_s=2.5)


def test_a_ttl_of_zero_disables_the_cache() -> None:
    assert apply({"COUNT_ENTRIES_CACHE_TTL_S": "0"}).tools[2].cache is None


def test_the_provisional_ttl_can_be_replaced_separately() -> None:
    (*others, counting) = LEDGER.tools
    cache = CachePolicy(ttl_s=60, provisional_ttl_s=5)
    server = replace(LEDGER, tools=(*others, replace(counting, cache=cache)))
    names = ["COUNT_ENTRIES_CACHE_TTL_S", "COUNT_ENTRIES_CACHE_PROVISIONAL_TTL_S"]
    assert [setting.env for setting in list_overrides(server)][:2] == names
    assert apply({names[1]: "0"}, server).tools[2].cache == CachePolicy(ttl_s=60, provisional_ttl_s=0)
    assert apply(dict.fromkeys(names, "0"), server).tools[2].cache is None


def test_the_time_of_copies_in_memory_can_be_replaced_separately() -> None:
    (*others, counting) = LEDGER.tools
    cache = CachePolicy(ttl_s=60, store="state", memory_ttl_s=5)
    server = replace(LEDGER, tools=(*others, replace(counting, cache=cache)))
    names = ["COUNT_ENTRIES_CACHE_TTL_S", "COUNT_ENTRIES_CACHE_MEMORY_TTL_S"]
    assert [setting.env for setting in list_overrides(server)][:2] == names
    assert apply({names[1]: "0"}, server).tools[2].cache == replace(cache, memory_ttl_s=0)
    assert apply({names[0]: "7"}, server).tools[2].cache == replace(cache, ttl_s=7)


def test_the_tasks_that_a_process_runs_at_once_can_be_replaced_and_zero_leaves_them_to_others() -> None:
    (*others, counting) = LEDGER.tools
    task = TaskPolicy(mode="optional", concurrency=4)
    server = replace(LEDGER, tools=(*others, replace(counting, cache=None, task=task)))
    assert list_overrides(server)[0].env == "COUNT_ENTRIES_TASK_CONCURRENCY"
    assert apply({}, server).tools[2].task == task
    for number in (0, 1000):
        changed = replace(task, concurrency=number)
        assert apply({"COUNT_ENTRIES_TASK_CONCURRENCY": str(number)}, server).tools[2].task == changed
    for wrong in ("-1", "1001", "1.5"):
        with pytest.raises(SettingsError, match="COUNT_ENTRIES_TASK_CONCURRENCY"):
            apply({"COUNT_ENTRIES_TASK_CONCURRENCY": wrong}, server)


def test_the_calls_of_a_rate_limit_can_be_replaced_and_zero_removes_the_limit() -> None:
    (*others, counting) = LEDGER.tools
    limit = RateLimit(calls=3, window_s=60, store="state")
    server = replace(LEDGER, tools=(*others, replace(counting, cache=None, rate_limit=limit)))
    assert list_overrides(server)[0].env == "COUNT_ENTRIES_RATE_LIMIT_CALLS"
    assert apply({}, server).tools[2].rate_limit == limit
    assert apply({"COUNT_ENTRIES_RATE_LIMIT_CALLS": "500"}, server).tools[2].rate_limit == replace(limit, calls=500)
    assert apply({"COUNT_ENTRIES_RATE_LIMIT_CALLS": "0"}, server).tools[2].rate_limit is None
    for wrong in ("-1", "10001", "1.5"):
        with pytest.raises(SettingsError, match="COUNT_ENTRIES_RATE_LIMIT_CALLS"):
            apply({"COUNT_ENTRIES_RATE_LIMIT_CALLS": wrong}, server)


def test_the_bypass_parameter_of_a_cache_stays() -> None:
    cached = apply({"LIST_BOOKS_CACHE_TTL_S": "5"}, library.server(library.Librarian())).tools[0].cache
    assert cached == CachePolicy(ttl_s=5, bypass="fresh")


def test_a_tool_without_a_cache_has_no_override() -> None:
    names = [setting.env for setting in list_overrides(LEDGER)]
    assert names == [
        "COUNT_ENTRIES_CACHE_TTL_S",
        "POSTGRES_MIN_CONNECTIONS",
        "POSTGRES_MAX_CONNECTIONS",
        "POSTGRES_IDLE_TIMEOUT_S",
        "POSTGRES_CONNECTION_TIMEOUT_S",
    ]


def test_all_invalid_numbers_are_named() -> None:
    invalid = {
        "COUNT_ENTRIES_CACHE_TTL_S": "-1",
        "POSTGRES_MIN_CONNECTIONS": "some",
        "POSTGRES_MAX_CONNECTIONS": "0",
        "POSTGRES_IDLE_TIMEOUT_S": "0",
        "POSTGRES_CONNECTION_TIMEOUT_S": "inf",
    }
    with pytest.raises(SettingsError) as raised:
        apply(invalid)
    assert re.findall(r"^  (\w+) must be", str(raised.value), re.MULTILINE) == list(invalid)


def test_the_minimum_of_connections_may_not_exceed_the_maximum() -> None:
    message = r"POSTGRES_MIN_CONNECTIONS \(4\) must be at most POSTGRES_MAX_CONNECTIONS \(3\)"
    with pytest.raises(SettingsError, match=message):
        apply({"POSTGRES_MIN_CONNECTIONS": "4"})


def test_help_lists_the_overrides_with_the_numbers_of_the_contract() -> None:
    command = [sys.executable, "-m", "tests.toolaccord.demo.ledger", "--help"]
    text = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout
    assert "COUNT_ENTRIES_CACHE_TTL_S (default 30)\n      seconds for which a result of count_entries is cached" in text
    assert "POSTGRES_MAX_CONNECTIONS (default 3)\n      max_connections of the source postgres" in text


async def test_a_server_uses_the_overrides_of_its_environment() -> None:
    async with started(environ={"LIST_BOOKS_CACHE_TTL_S": "0"}) as server:
        await server.shake_hands()
        for request_id in (1, 2):
            await server.send(call(request_id, "list_books", shelf="A"))
            answer = await server.receive()
            assert data(answer)["items"]
            assert answer["result"]["structuredContent"]["_metadata"]["cached"] is False


async def test_a_server_with_an_invalid_override_does_not_start() -> None:
    async with started(environ={"LIST_BOOKS_CACHE_TTL_S": "soon", "SHELF_URL": ""}) as server:
        assert await server.exit_code() == 2
        assert b"LIST_BOOKS_CACHE_TTL_S must be a number (it is 'soon')" in server.logged
        assert b"SHELF_URL is required" in server.logged
