"""Prove every promise of storage-mcp on a real Redis, also when Redis fails."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from generated.platform.storage.models import StorageSharedStateGetResult, StorageSharedStateSetResult
from tests.contracts.reading import tool as promised
from tests.servers.contracts import Observations, answers, parametrize_tools
from tests.servers.harness import Answer, ServerUnderTest, break_handler, open_server
from tests.services.valkey import PERSISTENT, Valkey
from tests.toolaccord.process import PATIENCE_S
from toolaccord.testing import ManualClock, capture_logs
from toolaccord.testing.faults import Relay
from toolaccord.timing.clock import SystemClock

SERVER = "platform.storage"
GET, SET = "storage.shared_state.get", "storage.shared_state.set"
HANDLERS = {GET: "storage_shared_state_get", SET: "storage_shared_state_set"}
INVALID: dict[str, BaseModel] = {
    GET: StorageSharedStateGetResult.model_construct(value="s3cr3t"),
    SET: StorageSharedStateSetResult.model_construct(stored=True, size_bytes=-1),
}
"""A result of each tool without a required member."""
KEY: dict[str, Any] = {"corr_id": "task", "key": "key"}
ARGUMENTS: dict[str, dict[str, Any]] = {GET: KEY, SET: KEY | {"value": 1}}
PATIENT = {"connection_timeout_s": PATIENCE_S, "timeout_s": PATIENCE_S}
"""Limits for tests in which nothing is late, however busy the machine is."""
LATE = {"MCP-003", "MCP-004"}
"""Codes of a Redis that does not answer; on a busy machine, the deadline may come first."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey"), *PERSISTENT).running() as server:
        yield server


@pytest.fixture(autouse=True)
def _empty(server: Valkey) -> None:
    server.command("FLUSHALL")


@pytest.fixture
async def storage(server: Valkey, clock: ManualClock, observations: Observations) -> AsyncIterator[ServerUnderTest]:
    async with open_server(SERVER, {"redis_url": server.url}, observations, clock, **PATIENT) as each:
        yield each


@pytest.fixture
async def relay(server: Valkey) -> AsyncIterator[Relay]:
    async with Relay(server.port).running() as relay:
        yield relay


@pytest.fixture
async def timed(relay: Relay, observations: Observations) -> AsyncIterator[ServerUnderTest]:
    """The server with the contract's limits and deadlines, on the machine's clock."""
    settings = {"redis_url": f"redis://127.0.0.1:{relay.port}"}
    async with open_server(SERVER, settings, observations, SystemClock()) as each:
        await answers_again(each)
        yield each


async def answers_again(storage: ServerUnderTest) -> None:
    """Wait until the server answers calls; a busy machine may need more than one."""
    async with asyncio.timeout(PATIENCE_S):
        for name in (SET, GET):
            while (await storage.call(name, **ARGUMENTS[name])).code is not None:
                pass


async def test_a_stored_value_is_read_with_its_metadata_until_it_expires(storage: ServerUnderTest) -> None:
    assert (await storage.call(GET, **KEY)).body == {"exists": False}
    stored = await storage.call(SET, **KEY, value={"side": None, "strength": 1.0})
    assert stored.body.keys() == {"stored", "expires_at", "size_bytes"}
    read = (await storage.call(GET, **KEY)).body
    assert (read["exists"], read["value"]) == (True, {"side": None, "strength": 1.0})
    assert read["metadata"].keys() == {"created_at", "updated_at", "ttl_seconds", "access_count"}
    await storage.call(SET, **KEY, value=None)
    assert (await storage.call(GET, **KEY)).body["value"] is None


@pytest.mark.parametrize(
    "name, change",
    [
        *(
            pytest.param(GET, {"corr_id": each}, marks=answers(GET, "MCP-001"))
            for each in ("", "a:b", "a\n", "x" * 129)
        ),
        *(pytest.param(SET, {"key": each}, marks=answers(SET, "MCP-001")) for each in ("", "a:b", "a/b", "x" * 257, 7)),
        *(pytest.param(SET, {"ttl_seconds": each}, marks=answers(SET, "MCP-001")) for each in (0, 86_401, 1.5, "1")),
        pytest.param(SET, {"values": 1}, marks=answers(SET, "MCP-001")),
    ],
    ids=str,
)
async def test_invalid_arguments_store_nothing(
    storage: ServerUnderTest, server: Valkey, name: str, change: dict[str, Any]
) -> None:
    answer = await storage.call(name, **ARGUMENTS[name] | change)
    assert answer.code == "MCP-001"
    assert answer.details["field"] in change
    assert server.command("KEYS", "shared:*") == []


@answers(SET, "MCP-001")
async def test_a_set_without_a_value_is_invalid_and_one_of_null_is_not(storage: ServerUnderTest) -> None:
    assert (await storage.call(SET, **KEY)).code == "MCP-001"
    assert (await storage.call(SET, **KEY, value=None)).code is None


@answers(GET, "MCP-016")
@pytest.mark.parametrize("text", ["{'single': 'quotes'}", "[" * 64 + "]" * 64, "[" * 1000 + "]" * 1000, "-1e999"])
async def test_a_text_that_is_no_json_is_an_error_that_a_set_ends(
    storage: ServerUnderTest, server: Valkey, text: str
) -> None:
    server.command("SET", "shared:task:key", text)
    answer = await storage.call(GET, **KEY)
    assert (answer.code, answer.details) == ("MCP-016", {"key": "key"})
    assert answer.message == (
        "Another program stored under key no JSON of finite numbers and at most 63 levels; "
        "set the key again, or read another one."
    )
    await storage.call(SET, **KEY, value=1)
    assert (await storage.call(GET, **KEY)).body["value"] == 1


async def test_a_value_of_the_deepest_nesting_is_read(storage: ServerUnderTest, server: Valkey) -> None:
    server.command("SET", "shared:task:key", "[" * 63 + "]" * 63)
    assert (await storage.call(GET, **KEY)).code is None


@answers(SET, "MCP-014")
async def test_a_value_above_one_mebibyte_exceeds_the_quota(storage: ServerUnderTest, server: Valkey) -> None:
    answer = await storage.call(SET, **KEY, value="x" * 1_048_575)
    assert (answer.code, answer.details) == ("MCP-014", {"size_bytes": 1_048_577})
    assert server.command("KEYS", "shared:*") == []
    assert (await storage.call(SET, **KEY, value="x" * 1_048_574)).body["size_bytes"] == 1_048_576


@answers(SET, "MCP-014")
async def test_a_full_redis_is_an_exceeded_quota_and_reads_go_on(storage: ServerUnderTest, server: Valkey) -> None:
    await storage.call(SET, **KEY, value="before")
    with server.full():
        answer = await storage.call(SET, **KEY, value="after")
        assert (answer.code, answer.details) == ("MCP-014", {"size_bytes": 7})
        assert (await storage.call(GET, **KEY)).body["value"] == "before"
    assert (await storage.call(SET, **KEY, value="after")).code is None
    assert (await storage.call(GET, **KEY)).body["value"] == "after"


@answers(SET, "MCP-003")
async def test_a_full_redis_that_cannot_store_the_key_of_a_call_is_an_unavailable_backend(
    storage: ServerUnderTest, server: Valkey
) -> None:
    with server.full():
        answer = await storage.call(SET, "a-key", **KEY, value=1)
    assert (answer.code, answer.details) == ("MCP-003", {"service": "redis"})
    assert (await storage.call(GET, **KEY)).body == {"exists": False}
    assert (await storage.call(SET, "a-key", **KEY, value=1)).code is None


async def test_a_repeated_key_replays_the_answer_and_does_not_undo_a_later_write(storage: ServerUnderTest) -> None:
    first = await storage.call(SET, "a-key", **KEY, value="A")
    await storage.call(SET, "b-key", **KEY, value="B")
    assert (await storage.call(SET, "a-key", **KEY, value="A")).body == first.body
    assert (await storage.call(GET, **KEY)).body["value"] == "B"
    await storage.call(SET, **KEY, value="A")
    assert (await storage.call(GET, **KEY)).body["value"] == "A"  # without a key, equal arguments write again


@answers(SET, "MCP-005")
async def test_a_key_with_other_arguments_is_a_conflict(storage: ServerUnderTest) -> None:
    await storage.call(SET, "a-key", **KEY, value="A")
    answer = await storage.call(SET, "a-key", **KEY, value="B")
    assert (answer.code, answer.details) == ("MCP-005", {"idempotency_key": "a-key"})
    assert (await storage.call(GET, **KEY)).body["value"] == "A"


@parametrize_tools([GET, SET], "MCP-003")
async def test_a_stopped_redis_is_an_unavailable_backend_until_it_is_back(
    timed: ServerUnderTest, server: Valkey, tool: str
) -> None:
    with server.stopped():
        answer = await timed.call(tool, **ARGUMENTS[tool])
        keyed = await timed.call(SET, "a-key", **ARGUMENTS[SET])
    again = "call again later" if tool == GET else "call again later, with the same idempotency key"
    assert (answer.code, answer.message) == ("MCP-003", f"The data source state is unavailable; {again}.")
    assert (answer.details, keyed.code) == ({"service": "redis"}, "MCP-003")
    await answers_again(timed)


@pytest.mark.parametrize("tool", [GET, SET])
async def test_a_frozen_redis_is_answered_by_the_deadline_and_the_next_call_works(
    timed: ServerUnderTest, server: Valkey, tool: str
) -> None:
    with server.frozen():
        calls = [timed.call(tool, **ARGUMENTS[tool]) for _ in range(30)]  # more than connections
        found = {answer.code for answer in await asyncio.gather(*calls)}
    assert found <= LATE
    await answers_again(timed)


@pytest.mark.parametrize("tool", [GET, SET])
async def test_a_slow_redis_is_answered_by_the_deadline_and_no_answer_goes_astray(
    timed: ServerUnderTest, relay: Relay, tool: str
) -> None:
    relay.delay_s = PATIENCE_S
    assert (await timed.call(tool, **ARGUMENTS[tool])).code in LATE
    relay.delay_s = 0
    await answers_again(timed)
    assert (await timed.call(GET, **KEY | {"key": "other"})).body.get("value") is None


async def test_a_restarted_redis_has_the_values_if_it_is_told_to_keep_them(
    timed: ServerUnderTest, server: Valkey
) -> None:
    await timed.call(SET, **KEY, value="kept", ttl_seconds=86_400)
    server.restart()
    await answers_again_with(timed, "kept")


async def answers_again_with(storage: ServerUnderTest, value: Any) -> None:
    """Wait until a read answers *value*; a busy machine may need more than one."""
    async with asyncio.timeout(PATIENCE_S):
        while (answer := await storage.call(GET, **KEY)).code is not None:
            assert answer.code in LATE
    assert answer.body["value"] == value


@parametrize_tools([GET, SET], "MCP-004")
async def test_the_deadline_of_a_call_on_a_frozen_redis_is_a_timeout(
    storage: ServerUnderTest, server: Valkey, clock: ManualClock, tool: str
) -> None:
    timeout_ms = promised(SERVER, tool)["deadline"]["timeout_ms"]
    with server.frozen():
        call = asyncio.create_task(storage.call(tool, **ARGUMENTS[tool]))
        await storage.wait_for_source_requests(1)
        clock.advance(timeout_ms / 1000)
        answer = await call
    assert (answer.code, answer.details) == ("MCP-004", {"tool": tool, "timeout_ms": timeout_ms})
    assert (await storage.call(tool, **ARGUMENTS[tool])).code is None


@parametrize_tools([GET, SET], "MCP-999")
async def test_the_bug_of_a_handler_is_an_internal_error_without_its_text(
    server: Valkey, observations: Observations, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    break_handler(monkeypatch, SERVER, HANDLERS[tool])
    answer = await call_patched(server, observations, tool)
    assert (answer.code, answer.message, answer.details) == ("MCP-999", "The server failed to answer.", {})


@parametrize_tools([GET, SET], "MCP-008")
async def test_a_handler_that_is_not_implemented_has_a_code_of_its_own(
    server: Valkey, observations: Observations, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    async def handle(_request: Any, _call: Any) -> None:
        raise NotImplementedError

    monkeypatch.setattr(f"handlers.{SERVER}.{HANDLERS[tool]}", handle)
    assert (await call_patched(server, observations, tool)).code == "MCP-008"


@parametrize_tools([GET, SET], "MCP-009")
async def test_a_result_that_breaks_the_contract_is_never_sent(
    server: Valkey, observations: Observations, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    async def handle(_request: Any, _call: Any) -> Any:
        return INVALID[tool]

    monkeypatch.setattr(f"handlers.{SERVER}.{HANDLERS[tool]}", handle)
    answer = await call_patched(server, observations, tool)
    assert answer.code == "MCP-009"
    assert "s3cr3t" not in str(answer.body)


async def call_patched(server: Valkey, observations: Observations, name: str) -> Answer:
    """Call a tool of a server whose handler was replaced."""
    with capture_logs():
        async with open_server(SERVER, {"redis_url": server.url}, observations) as storage:
            return await storage.call(name, **ARGUMENTS[name])
