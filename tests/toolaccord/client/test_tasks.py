"""Tasks of a server of another make, as a typed client follows them."""

import asyncio
import math
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import MCPError

from tests.toolaccord.client.foreign_kitchen import EXTENSION, POLL_MS, Kitchen, to_result
from tests.toolaccord.generated.demo.errors import OvenBroken
from tests.toolaccord.generated.demo.kitchen.client import BAKE, BREW, KitchenClient, answer_asks
from tests.toolaccord.generated.demo.kitchen.models import (
    BakeRequest,
    BrewRequest,
    CandlesAnswer,
    NameAnswer,
    PlateRequest,
)
from tests.toolaccord.process import ROOT
from toolaccord import Accepted, Cancelled, Declined
from toolaccord.client.policies import ClientCache, ClientPolicies, Retry, ToolCache
from toolaccord.client.sdk import SdkConnection
from toolaccord.client.tasks import calls
from toolaccord.errors import BrokenAnswer, ServerGone, TaskCancelled, TaskFailed, TaskNotFound, TimedOut
from toolaccord.testing import ManualClock
from toolaccord.timing.deadline import DeadlineExceeded, run_within

GATEAU = BakeRequest(cake="gateau")
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send requests to loopback without the proxies of the environment."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


class Baker:
    """Answers what is asked."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    async def candles(self, message: str, /) -> Accepted[CandlesAnswer] | Declined | Cancelled:
        self.messages.append(message)
        return Accepted(CandlesAnswer(number=7))

    async def name(self, message: str, /) -> Accepted[NameAnswer] | Declined | Cancelled:
        self.messages.append(message)
        return Accepted(NameAnswer(name="Ann"))


class StepClock(ManualClock):
    """A clock that tells which pauses begin."""

    def __init__(self) -> None:
        super().__init__()
        self._begun: asyncio.Queue[float] = asyncio.Queue()

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> Any:
        self._begun.put_nowait(seconds)
        return super().call_later(seconds, callback)

    async def begun(self) -> float:
        """Wait for the next pause, and return its seconds."""
        return await self._begun.get()

    async def pass_pause(self) -> float:
        """Wait for the next pause, let it pass, and return its seconds."""
        seconds = await self.begun()
        self.advance(seconds)
        return seconds


@pytest.fixture
def kitchen() -> Kitchen:
    return Kitchen()


@pytest.fixture(params=["http", "streams"])
async def client(request: pytest.FixtureRequest, kitchen: Kitchen) -> AsyncIterator[KitchenClient]:
    async with connected(kitchen, request.param) as client:
        yield client


@asynccontextmanager
async def connected(kitchen: Kitchen, transport: str = "http", **options: Any) -> AsyncIterator[KitchenClient]:
    """Give a client of a kitchen."""
    if transport == "streams":
        async with KitchenClient(SdkConnection("kitchen-mcp", kitchen.server(), era="stateless")) as client:
            yield client
        return
    async with kitchen.listening() as port, at(port, **options) as client:
        yield client


def at(port: int, **options: Any) -> KitchenClient:
    """Return a client of the kitchen that listens on a *port*."""
    return KitchenClient.http(f"http://127.0.0.1:{port}/mcp", **options)


async def test_a_task_gives_the_result_that_a_call_would_give(client: KitchenClient, kitchen: Kitchen) -> None:
    task = await client.start_bake(GATEAU)
    assert (task.id, task.state and task.state.status) == ("id-1", "working")
    waiting = asyncio.ensure_future(task)
    await kitchen.arrived("tasks/get", 2)
    kitchen.complete({"cake": "gateau"})
    assert (await waiting).cake == "gateau"
    looked = len(kitchen.seen)
    assert (await task).cake == (await task.result(timeout_s=1)).cake == "gateau"
    await task.cancel()
    assert len(kitchen.seen) == looked


async def test_only_requests_of_tasks_declare_the_extension_and_name_the_task_in_the_header(kitchen: Kitchen) -> None:
    async with connected(kitchen, answers=answer_asks(Baker())) as client:
        assert (await client.bake(GATEAU)).cake == "gateau"
        task = await client.start_bake(GATEAU)
        kitchen.ask(candles="Candles?")
        waiting = asyncio.ensure_future(task)
        await kitchen.arrived("tasks/update")
        await task.cancel()
        with pytest.raises(TaskCancelled):
            await waiting
    declared = [each.params["_meta"][CAPABILITIES].get("extensions") for each in kitchen.seen]
    assert declared == [None] + [{EXTENSION: {}}] * (len(declared) - 1)
    assert all("elicitation" in each.params["_meta"][CAPABILITIES] for each in kitchen.seen)
    assert [(each.method, each.headers["mcp-method"], each.headers["mcp-name"]) for each in kitchen.seen[:3]] == [
        ("tools/call", "tools/call", "bake"),
        ("tools/call", "tools/call", "bake"),
        ("tasks/get", "tasks/get", "id-1"),
    ]
    assert {each.headers["mcp-name"] for each in kitchen.seen[2:]} == {"id-1"}


async def test_an_error_that_the_contract_declares_is_raised_as_by_a_call(
    client: KitchenClient, kitchen: Kitchen
) -> None:
    task = await client.start_bake(GATEAU)
    body = {"error": {"code": "OVEN_BROKEN", "message": "it is cold", "details": {}}}
    kitchen.task.update(status="completed", result=to_result(body, isError=True))
    with pytest.raises(OvenBroken, match="it is cold"):
        await task


async def test_a_fault_of_the_server_has_its_number_and_its_data(client: KitchenClient, kitchen: Kitchen) -> None:
    task = await client.start_bake(GATEAU)
    kitchen.task.update(status="failed", error={"code": -32603, "message": "burnt", "data": {"crashes": 3}})
    with pytest.raises(TaskFailed, match="-32603: burnt") as caught:
        await task
    assert (caught.value.code, caught.value.message, caught.value.data) == (-32603, "burnt", {"crashes": 3})
    assert not caught.value.retryable
    kitchen.task.update(error="no error")
    with pytest.raises(BrokenAnswer):
        await client.resume_bake("id-1")


async def test_a_call_that_is_answered_at_once_is_a_task_that_is_done(client: KitchenClient, kitchen: Kitchen) -> None:
    task = await client.start_bake(BakeRequest(cake="biscuit"))
    assert (task.id, task.state, [each async for each in task.progress()]) == (None, None, [])
    assert (await task).cake == "biscuit"
    await task.cancel()
    with pytest.raises(OvenBroken, match="cold"):
        _ = await client.start_bake(BakeRequest(cake="brick"))
    assert len(kitchen.seen) == 2


async def test_a_cancelled_task_raises_and_a_finished_one_keeps_its_result(
    client: KitchenClient, kitchen: Kitchen
) -> None:
    first, second = await client.start_bake(GATEAU), await client.start_bake(GATEAU)
    await first.cancel()
    with pytest.raises(TaskCancelled):
        await first
    kitchen.complete({"cake": "gateau"})
    await second.cancel()
    assert (await second).cake == "gateau"


async def test_progress_yields_each_state_once_and_ends_with_the_task(client: KitchenClient, kitchen: Kitchen) -> None:
    task = await client.start_bake(GATEAU)
    seen = []
    async for state in task.progress():
        seen.append((state.status, state.message, state.progress.done, state.progress.total))
        if len(seen) == 1:
            await kitchen.arrived("tools/call")
            kitchen.task.update(statusMessage="stirring", _meta={"progress": {"progress": 1, "total": 4}})
        elif len(seen) == 2:
            kitchen.complete({"cake": "gateau"})
    assert seen == [
        ("working", None, None, None),
        ("working", "stirring", 1, 4),
        ("completed", "stirring", 1, 4),
    ]
    assert (await task).cake == "gateau"


async def test_another_client_resumes_a_task_by_its_id(kitchen: Kitchen) -> None:
    async with kitchen.listening() as port:
        async with at(port) as first:
            found = (await first.start_bake(GATEAU)).id
        assert found
        async with at(port) as second:
            task = second.resume_bake(found)
            assert task.state is None
            assert (await task.look()).status == "working"
            kitchen.complete({"cake": "gateau"})
            assert (await task).cake == "gateau"
            with pytest.raises(TaskNotFound, match="expired, or belongs to another caller"):
                await second.resume_bake("id-9")
            with pytest.raises(TaskNotFound):
                await second.resume_bake("id-9").cancel()


async def test_questions_of_a_task_are_answered_once_and_one_by_one(kitchen: Kitchen) -> None:
    baker = Baker()
    async with connected(kitchen, answers=answer_asks(baker)) as client:
        task = await client.start_bake(GATEAU)
        kitchen.ask(**{"candles-1": "Candles?", "name-1": "A name?"})
        waiting = asyncio.ensure_future(task)
        await kitchen.arrived("tasks/update", 2)
        await kitchen.arrived("tasks/get", 3)
        kitchen.complete({"cake": "gateau"})
        assert (await waiting).cake == "gateau"
    updates = [each.params["inputResponses"] for each in kitchen.of("tasks/update")]
    assert updates == [
        {"candles-1": {"action": "accept", "content": {"number": 7}}},
        {"name-1": {"action": "accept", "content": {"name": "Ann"}}},
    ]
    assert baker.messages == ["Candles?", "A name?"]


async def test_questions_before_a_task_are_those_of_a_call(kitchen: Kitchen) -> None:
    baker = Baker()
    async with connected(kitchen, answers=answer_asks(baker)) as client:
        task = await client.start_bake(BakeRequest(cake="wedding"))
        kitchen.complete({"cake": "wedding"})
        assert (await task).cake == "wedding"
    first, second = kitchen.of("tools/call")
    assert "inputResponses" not in first.params
    assert (second.params["requestState"], second.params["inputResponses"].keys()) == ("sealed", {"name-1"})
    assert baker.messages == ["Whose wedding?"]


async def test_a_question_that_a_server_still_shows_is_not_asked_again(kitchen: Kitchen) -> None:
    baker = Baker()
    async with connected(kitchen, answers=answer_asks(baker)) as client:
        task = await client.start_bake(GATEAU)
        kitchen.ask(candles="Candles?")
        requests = kitchen.task["inputRequests"]
        waiting = asyncio.ensure_future(task)
        await kitchen.arrived("tasks/update")
        kitchen.task.update(status="input_required", inputRequests=requests)  # its effect comes later
        await kitchen.arrived("tasks/get", 4)
        kitchen.complete({"cake": "gateau"})
        await waiting
    assert (len(kitchen.of("tasks/update")), baker.messages) == (1, ["Candles?"])


async def test_what_a_client_cannot_answer_fails_and_the_task_waits_for_another(kitchen: Kitchen) -> None:
    async with kitchen.listening() as port:
        async with at(port, answers=answer_asks(Baker())) as client:
            task = await client.start_bake(GATEAU)
            kitchen.ask(fillings="Which?", candles="Candles?")
            with pytest.raises(BrokenAnswer, match="The client does not answer this ask"):
                await task
        assert [each.params["inputResponses"].keys() for each in kitchen.of("tasks/update")] == [{"candles"}]
        assert kitchen.task["status"] == "input_required"
        kitchen.complete({"cake": "gateau"})
        async with at(port) as other:
            assert (await other.resume_bake("id-1")).cake == "gateau"


async def test_a_tool_that_needs_tasks_is_called_as_any_other(client: KitchenClient, kitchen: Kitchen) -> None:
    calling = asyncio.ensure_future(client.call(BREW, BrewRequest(cups=2)))
    await kitchen.arrived("tasks/get")
    kitchen.complete({"cups": 2})
    assert (await calling).result.cups == 2
    assert BREW.default_timeout_s == 605
    task = await client.start_brew(BrewRequest(cups=3))
    kitchen.complete({"cups": 3})
    assert (await task).cups == 3


@pytest.mark.parametrize("has_policies", [False, True])
async def test_a_call_that_is_out_of_time_cancels_its_task(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch, *, has_policies: bool
) -> None:
    clock = StepClock()
    monkeypatch.setattr(calls, "SystemClock", lambda: clock)
    policies = ClientPolicies(clock=clock) if has_policies else None
    async with connected(kitchen, policies=policies) as client:
        calling = asyncio.ensure_future(client.brew(BrewRequest(cups=2), timeout_s=9))
        while await clock.begun() > 1:  # until it is the pause between two looks
            pass
        clock.advance(9)
        with pytest.raises(TimedOut, match=r"brew .*9 s"):
            await calling
        await kitchen.arrived("tasks/cancel")
    assert kitchen.task["status"] == "cancelled"


async def test_a_call_that_nobody_waits_for_cancels_its_task(client: KitchenClient, kitchen: Kitchen) -> None:
    calling = asyncio.ensure_future(client.brew(BrewRequest(cups=2)))
    await kitchen.arrived("tasks/get")
    calling.cancel()
    await kitchen.arrived("tasks/cancel")
    assert kitchen.task["status"] == "cancelled"


async def test_who_gives_up_waiting_for_a_task_leaves_it_running(client: KitchenClient, kitchen: Kitchen) -> None:
    task = await client.start_bake(GATEAU)
    with pytest.raises(TimedOut, match="it goes on"):
        await task.result(timeout_s=0.05)
    waiting = asyncio.ensure_future(task)
    await kitchen.arrived("tasks/get", len(kitchen.of("tasks/get")) + 1)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    kitchen.complete({"cake": "gateau"})
    assert (await task).cake == "gateau"
    assert kitchen.of("tasks/cancel") == []


async def test_content_arrives_as_from_a_call(client: KitchenClient, kitchen: Kitchen) -> None:
    task = await client.start_plate(PlateRequest(dish="soup"))
    kitchen.task.update(status="completed", result={"content": [{"type": "text", "text": "soup"}]})
    assert [each.text for each in await task] == ["soup"]


async def test_a_client_looks_no_sooner_than_its_server_wants_and_within_bounds(kitchen: Kitchen) -> None:
    clock = StepClock()
    parts = iter([0, 0, 1, 0, 0, 0, 0])
    policies = ClientPolicies(clock=clock, random=lambda: next(parts))
    async with connected(kitchen, policies=policies) as client:
        task = await client.start_bake(GATEAU)
        started_s = await clock.pass_pause()  # the time limit of the request
        waiting = asyncio.ensure_future(task)
        pauses = []
        for poll_ms in (POLL_MS, 1500, 1500, None, 0, 1e12, math.inf):
            pauses.append(await clock.pass_pause())
            kitchen.task["pollIntervalMs"] = poll_ms if poll_ms != math.inf else "soon"
            if poll_ms is math.inf:
                kitchen.complete({"cake": "gateau"})
        await waiting
    assert started_s == BAKE.timeout_s + 5
    assert pauses == [0.01, 0.01, pytest.approx(1.65), 1.5, 1, 1, 600]


async def test_a_server_that_is_away_is_waited_for_and_found_again(kitchen: Kitchen) -> None:
    clock = StepClock()
    policies = ClientPolicies(clock=clock, random=lambda: 0)
    async with kitchen.listening() as port:
        client = at(port, policies=policies)
        await client.__aenter__()
        task = await client.start_bake(GATEAU)
        await clock.pass_pause()
    waiting = asyncio.ensure_future(task)
    assert [await clock.pass_pause() for _ in range(3)] == [0.01, 0.5, 1]
    kitchen.complete({"cake": "gateau"})
    async with kitchen.listening(port):
        assert (await waiting).cake == "gateau"
        await client.__aexit__(None, None, None)


async def test_a_look_is_repeated_while_the_store_of_a_server_is_away(kitchen: Kitchen) -> None:
    clock = StepClock()
    async with connected(kitchen, policies=ClientPolicies(clock=clock, random=lambda: 0)) as client:
        task = await client.start_bake(GATEAU)
        await clock.pass_pause()
        kitchen.faults = [MCPError(-32603, "the store is away")] * 2
        kitchen.complete({"cake": "gateau"})
        waiting = asyncio.ensure_future(task)
        assert [await clock.pass_pause() for _ in range(3)] == [0.01, 0.5, 1]
        assert (await waiting).cake == "gateau"


async def test_a_server_that_does_not_come_back_is_given_up(kitchen: Kitchen) -> None:
    clock = StepClock()
    policies = ClientPolicies(clock=clock, random=lambda: 0)
    async with kitchen.listening() as port:
        client = at(port, policies=policies)
        await client.__aenter__()
        task = await client.start_bake(GATEAU)
        await clock.pass_pause()
    waiting = asyncio.ensure_future(task)
    paused = 0.0
    while not waiting.done():
        pausing = asyncio.ensure_future(clock.pass_pause())
        await asyncio.wait({waiting, pausing}, return_when=asyncio.FIRST_COMPLETED)
        paused += pausing.result() if pausing.done() else 0
        pausing.cancel()
    with pytest.raises(ServerGone):
        await waiting
    assert 300 <= paused < 340
    await client.__aexit__(None, None, None)


async def test_the_deadline_of_the_caller_ends_the_wait(kitchen: Kitchen) -> None:
    clock = ManualClock()
    async with connected(kitchen, policies=ClientPolicies(clock=clock)) as client:
        task = await client.start_bake(GATEAU)
        waiting = asyncio.ensure_future(run_within(clock, 3, task.result(timeout_s=9)))
        await asyncio.sleep(0)
        clock.advance(3)
        with pytest.raises((TimedOut, DeadlineExceeded)):
            await waiting


async def test_a_cached_result_replaces_a_call_and_never_a_start(kitchen: Kitchen) -> None:
    cache = ClientCache(tools={BAKE: ToolCache(ttl_s=60)}, prefix="")
    async with connected(kitchen, policies=ClientPolicies(cache=cache)) as client:
        for _ in range(2):
            await client.bake(GATEAU)
        assert [(await client.start_bake(GATEAU)).id for _ in range(2)] == ["id-1", "id-2"]
    assert len(kitchen.of("tools/call")) == 3


async def test_a_start_is_repeated_under_the_policies(kitchen: Kitchen) -> None:
    policies = ClientPolicies(retry=Retry(initial_delay_s=0))
    async with kitchen.listening() as port:
        client = at(port, policies=policies)
        await client.__aenter__()
    with pytest.raises(ServerGone):
        _ = await client.start_bake(GATEAU)
    async with kitchen.listening(port):
        assert (await client.start_bake(GATEAU)).id == "id-1"
        await client.__aexit__(None, None, None)


async def test_errors_of_json_rpc_about_a_task_are_raised(client: KitchenClient, kitchen: Kitchen) -> None:
    task = await client.start_bake(GATEAU)
    kitchen.faults = [MCPError(-32601, "no tasks here")]
    with pytest.raises(BrokenAnswer, match="-32601"):
        await task
    kitchen.task["status"] = "asleep"
    with pytest.raises(BrokenAnswer, match="status"):
        await task


def test_a_client_without_tasks_loads_nothing_of_them() -> None:
    code = (
        "import sys; import tests.toolaccord.generated.demo.desk.client, toolaccord.client.http\n"
        "print([each for each in sys.modules if each.startswith('toolaccord.client.task')])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "[]\n"
