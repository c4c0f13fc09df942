"""Several processes that serve one agent over A2A, with tasks in Redis or NATS."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from a2a.types import CancelTaskRequest, GetTaskRequest, ListTasksRequest, Part, SubscribeToTaskRequest, TaskState

from tests.services.nats import NatsServer, running
from tests.services.valkey import PERSISTENT, Valkey
from tests.toolaccord.agent.a2a.guide import Guide, declare
from tests.toolaccord.agent.a2a.served import (
    BINDINGS,
    PATIENCE_S,
    Served,
    connect,
    data,
    describe,
    events,
    message,
    result_of,
    say,
    serve,
)
from tests.toolaccord.agent.a2a.test_process import SCOUT, url_of
from tests.toolaccord.demo.scout import AT_GATE
from tests.toolaccord.listener import listening
from tests.toolaccord.process import Gate, Process, started
from toolaccord.contract.agents import AgentTasks
from toolaccord.contract.settings import Setting
from toolaccord.sources.nats import NatsSource
from toolaccord.sources.redis import RedisSource

bindings = pytest.mark.parametrize("binding, version", BINDINGS)
URL = Setting(name="url", env="TASKS_URL", description="Store", schema={"type": "string"}, default="")
TIMEOUTS: dict[str, Any] = {"connection_timeout_s": 20, "timeout_s": 20}
STORES: dict[str, Any] = {
    "redis": RedisSource(name="tasks", url="url", **TIMEOUTS),
    "nats": NatsSource(name="tasks", url="url", **TIMEOUTS),
}
Replica = tuple[Served, Guide]


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey"), *PERSISTENT).running() as server:
        yield server


@asynccontextmanager
async def serving(url: str, **environ: str) -> AsyncIterator[Replica]:
    guide = Guide()
    store = STORES["nats" if url.startswith("nats") else "redis"]
    agent = replace(
        declare(guide, max_concurrent=2), settings=(URL,), sources=(store,), tasks=AgentTasks(store="tasks")
    )
    async with serve(agent, {"TASKS_URL": url, **environ}) as served:
        try:
            yield served, guide
        finally:
            guide.gate.set()


@pytest.fixture(scope="module")
def nats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with running(tmp_path_factory.mktemp("nats")) as server:
        yield server


@pytest.fixture(params=["valkey", "nats"])
def url(request: pytest.FixtureRequest) -> str:
    """The address of each store."""
    address: str = request.getfixturevalue(request.param).url
    return address


@pytest.fixture
async def replicas(url: str) -> AsyncIterator[list[Replica]]:
    async with asyncio.timeout(PATIENCE_S), serving(url) as first, serving(url) as second:
        yield [first, second]


async def find_runner(replicas: list[Replica]) -> tuple[Replica, Replica]:
    """Wait until a replica runs a request at the gate, and return that one and the other."""
    waiting = [asyncio.create_task(guide.started.acquire()) for _, guide in replicas]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for each in waiting:
        each.cancel()
    first, second = replicas
    return (first, second) if waiting[0].done() and not waiting[0].cancelled() else (second, first)


@bindings
async def test_every_replica_follows_a_task_that_another_one_runs(
    replicas: list[Replica], binding: str, version: str
) -> None:
    stream = (await replicas[0][0].client(binding, version)).send_message(message(Part(text="wait, step one")))
    task = (await anext(stream)).task.id
    (_, guide), (other, _) = await find_runner(replicas)
    following = (await other.client(binding, version)).subscribe(SubscribeToTaskRequest(id=task))
    assert describe(await anext(following)) == "working"
    guide.gate.set()
    rest = ["working: step one", "artifact: You said: wait, step one", "completed"]
    assert [describe(event) async for event in following] == rest
    assert [describe(event) async for event in stream] == ["working", *rest]
    found = await (await other.client(binding, version)).get_task(GetTaskRequest(id=task))
    assert [part.text for part in found.artifacts[0].parts if part.text] == ["You said: wait, step one"]
    assert [part.text for each in found.history for part in each.parts] == ["wait, step one", "step one"]


@bindings
async def test_a_task_is_cancelled_on_another_replica_than_the_one_that_runs_it(
    replicas: list[Replica], binding: str, version: str
) -> None:
    task = await replicas[0][0].begin("wait")
    (_, guide), (other, _) = await find_runner(replicas)
    cancelled = await (await other.client(binding, version)).cancel_task(CancelTaskRequest(id=task))
    assert cancelled.status.state == TaskState.TASK_STATE_CANCELED
    await guide.cancelled.acquire()


async def test_a_caller_who_waits_learns_of_the_end_on_another_replica(replicas: list[Replica]) -> None:
    busy = [await replicas[0][0].begin("wait") for _ in range(3)]
    (runner, guide), (other, other_guide) = await find_runner(replicas)
    sending = [asyncio.create_task(each.call("SendMessage", message=say("hi"))) for each in (runner, other)]
    guide.gate.set()
    other_guide.gate.set()
    answers = await asyncio.gather(*sending)
    assert {each["result"]["task"]["status"]["state"] for each in answers} == {"TASK_STATE_COMPLETED"}
    assert len(busy) == 3


async def test_a_conversation_goes_on_at_another_replica(replicas: list[Replica]) -> None:
    (first, _), (second, _) = replicas
    sent = await first.call("SendMessage", message=say("one"))
    context = sent["result"]["task"]["contextId"]
    last = await events(await second.client(), message(Part(text="two"), context_id=context))
    assert describe(last[-1]) == "completed"
    seen = result_of(last[-2])["output"]["seen"]
    assert [each["content"] for each in seen["messages"]] == ["one", "You said: one", "two"]


async def test_a_callers_tasks_are_listed_page_by_page_by_any_replica_and_by_nobody_else(url: str) -> None:
    tokens = {"MCP_AUTH_TOKEN": "anna,bert"}
    async with serving(url, **tokens) as (first, _), serving(url, **tokens) as (second, _):
        sent = [await first.call("SendMessage", message=say(text, contextId="list")) for text in ("hi", "fail", "ho")]
        tasks = [each["result"]["task"]["id"] for each in sent]
        anna, bert = [await second.client(token=name) for name in ("anna", "bert")]
        page = await anna.list_tasks(ListTasksRequest(context_id="list", page_size=2))
        rest = await anna.list_tasks(ListTasksRequest(context_id="list", page_token=page.next_page_token))
        failed = await anna.list_tasks(ListTasksRequest(context_id="list", status=TaskState.TASK_STATE_FAILED))
        assert page.total_size == 3
        assert [each.id for each in (*page.tasks, *rest.tasks)] == tasks[::-1]
        assert [each.id for each in failed.tasks] == [tasks[1]]
        assert not page.tasks[0].artifacts
        assert not (await bert.list_tasks(ListTasksRequest())).tasks
        request = {"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": tasks[0]}}
        theirs = await second.post("/a2a/v1", request, Authorization="Bearer bert")
        assert theirs.json()["error"]["code"] == -32001


async def test_a_stop_gives_what_runs_to_another_replica(url: str) -> None:
    async with asyncio.timeout(PATIENCE_S), AsyncExitStack() as stack:
        first, guide = await stack.enter_async_context(serving(url, MCP_GRACE_S="0.4"))
        stream = (await first.client()).send_message(message(Part(text="wait")))
        task = (await anext(stream)).task.id
        await guide.started.acquire()
        second, other = await stack.enter_async_context(serving(url))
        first.stop.requested.set()
        assert [describe(event) async for event in stream] == ["working"]
        await first.serving
        await other.started.acquire()
        following = (await second.client()).subscribe(SubscribeToTaskRequest(id=task))
        assert describe(await anext(following)) == "working"
        other.gate.set()
        assert [describe(event) async for event in following][-1] == "completed"


async def test_without_an_address_of_the_store_each_process_keeps_its_own_tasks() -> None:
    async with serving("") as (first, _), serving("") as (second, _):
        sent = await first.call("SendMessage", message=say("hi"))
        task = sent["result"]["task"]["id"]
        assert (await first.call("GetTask", id=task))["result"]["id"] == task
        assert (await second.call("GetTask", id=task))["error"]["code"] == -32001
        assert (await first.http.get("/ready")).status_code == 200


async def test_a_store_that_is_away_is_an_error_for_callers_and_no_end_for_those_who_wait(tmp_path: Path) -> None:
    with Valkey(tmp_path, *PERSISTENT).running() as server:
        async with asyncio.timeout(PATIENCE_S), serving(server.url) as (served, guide):
            stream = (await served.client()).send_message(message(Part(text="wait")))
            await anext(stream)
            await guide.started.acquire()
            server.kill()
            refused = await served.call("SendMessage", message=say("hi"))
            assert refused["error"] == {
                **refused["error"],
                "code": -32603,
                "message": "The store of the tasks does not answer; try again later.",
            }
            guide.gate.set()
            server.start()
            assert [describe(event) async for event in stream][-1] == "completed"


@asynccontextmanager
async def starting(environ: dict[str, str]) -> AsyncIterator[Process]:
    async with started("--a2a", "--port", "0", module=SCOUT, environ=environ) as process:
        await process.log_has(": listening on http://")
        yield process


async def test_a_task_outlives_its_killed_process(valkey: Valkey, tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    async with listening(environ=gate.environ) as library, AsyncExitStack() as stack:
        environ = {
            "REDIS_URL": valkey.url,
            "LIBRARY_URL": f"http://127.0.0.1:{library.port}/mcp",
            "SCOUT_TIMEOUT_MS": "30000",
            "SCOUT_TASK_STORE": "bus",
        }
        dying = await stack.enter_async_context(starting(environ))
        stream = (await connect(stack, url_of(dying))).send_message(message(data({"book": AT_GATE})))
        task = (await anext(stream)).task.id
        assert describe(await anext(stream)) == "working"
        living = await stack.enter_async_context(starting(environ))
        dying.signal(signal.SIGKILL)
        await dying.exit_code()
        client = await connect(stack, url_of(living))
        following = client.subscribe(SubscribeToTaskRequest(id=task))
        assert describe(await anext(following)) == "working"
        gate.open()
        assert [describe(event) async for event in following][-1] == "completed"
    gate.close()
