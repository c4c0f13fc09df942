"""Tasks of an agent over A2A, asked with the SDK's own client."""

import asyncio
from typing import Any

import pytest
from a2a.types import CancelTaskRequest, GetTaskRequest, Part, SubscribeToTaskRequest, TaskState
from google.protobuf.json_format import MessageToDict

from tests.toolaccord.agent.a2a.guide import serving
from tests.toolaccord.agent.a2a.served import BINDINGS, PATIENCE_S, data, describe, events, message, result_of, say

bindings = pytest.mark.parametrize("binding, version", BINDINGS)


async def test_the_card_tells_what_the_agent_does_and_where() -> None:
    async with serving() as (served, _):
        response = await served.http.get("/.well-known/agent-card.json")
        card = await served.card()
    assert response.headers["cache-control"] == "max-age=60"
    assert (card.name, card.version, card.description) == ("guide-agent", "1.2.3", "Shows the way.")
    assert [(each.protocol_binding, each.protocol_version) for each in card.supported_interfaces] == BINDINGS
    assert {each.url for each in card.supported_interfaces} == {f"{served.url}/a2a/v1"}
    assert [(each.id, each.name, *each.tags, *each.examples) for each in card.skills] == [
        ("show-way", "Show the way", "way", "Where?")
    ]
    assert list(card.default_input_modes) == ["text/plain", "application/json"]
    assert card.capabilities.streaming
    assert not card.capabilities.push_notifications
    assert not card.security_requirements


@bindings
async def test_each_binding_streams_the_steps_in_order_then_the_result_then_the_end(binding: str, version: str) -> None:
    async with serving() as (served, _):
        stream = await events(await served.client(binding, version), message(Part(text="step one, step two")))
    assert [describe(event) for event in stream] == [
        "submitted",
        "working",
        "working: step one",
        "working: step two",
        "artifact: You said: step one, step two",
        "completed",
    ]
    seen = result_of(stream[4])["output"]["seen"]
    assert seen == {"messages": [{"role": "user", "content": "step one, step two"}]}


@bindings
async def test_each_binding_takes_a_whole_request_as_data(binding: str, version: str) -> None:
    request = {"input": {"messages": [{"role": "user", "content": "hi"}], "count": 3}}
    async with serving() as (served, _):
        stream = await events(await served.client(binding, version), message(data(request)))
    assert result_of(stream[-2])["output"]["seen"] == request["input"]


@bindings
async def test_each_binding_ends_a_failed_request_as_a_failed_task_with_its_code(binding: str, version: str) -> None:
    async with serving() as (served, _):
        stream = await events(await served.client(binding, version), message(Part(text="fail")))
    assert describe(stream[-1]) == "failed: NO_WAY: There is no way."
    _, error = stream[-1].status_update.status.message.parts
    assert MessageToDict(error.data) == {"error": {"code": "NO_WAY", "message": "NO_WAY: There is no way."}}


async def test_a_request_that_breaks_the_contract_is_a_failed_task() -> None:
    async with serving() as (served, _):
        stream = await events(await served.client(), message(data({"input": 1})))
    _, error = stream[-1].status_update.status.message.parts
    assert MessageToDict(error.data)["error"]["code"] == "INVALID_PARAMETERS"


async def test_metadata_of_a_message_is_metadata_of_the_request() -> None:
    async with serving() as (served, _):
        stream = await events(await served.client(), message(Part(text="hi"), metadata={"locale": "en"}))
    assert result_of(stream[-2])["output"]["seen"]["metadata"] == {"locale": "en"}


@bindings
async def test_cancelling_a_task_cancels_its_handler_and_ends_its_stream(binding: str, version: str) -> None:
    async with serving() as (served, guide), asyncio.timeout(PATIENCE_S):
        client = await served.client(binding, version)
        stream = client.send_message(message(Part(text="wait")))
        first = await anext(stream)
        await guide.started.acquire()
        cancelled = await client.cancel_task(CancelTaskRequest(id=first.task.id))
        assert cancelled.status.state == TaskState.TASK_STATE_CANCELED
        await guide.cancelled.acquire()
        assert [describe(event) async for event in stream] == ["working", "canceled"]
        found = await client.get_task(GetTaskRequest(id=first.task.id))
        assert found.status.state == TaskState.TASK_STATE_CANCELED


async def test_an_ended_task_cannot_be_cancelled() -> None:
    async with serving() as (served, _):
        sent = await served.call("SendMessage", message=say("hi"))
        answer = await served.call("CancelTask", id=sent["result"]["task"]["id"])
    assert answer["error"]["code"] == -32002


async def test_a_task_that_waits_for_a_place_can_be_cancelled() -> None:
    async with serving(max_concurrent=1) as (served, guide), asyncio.timeout(PATIENCE_S):
        await served.begin("wait")
        await guide.started.acquire()
        waiting = await served.begin("wait too")
        answer = await served.call("CancelTask", id=waiting)
        assert answer["result"]["status"]["state"] == "TASK_STATE_CANCELED"
        guide.gate.set()
        after = await served.call("SendMessage", message=say("after"))
        assert after["result"]["task"]["status"]["state"] == "TASK_STATE_COMPLETED"
    assert guide.started.locked()  # the cancelled one never ran


async def test_a_message_without_context_knows_of_no_other() -> None:
    async with serving() as (served, _):
        await served.call("SendMessage", message=say("first"))
        sent = await served.call("SendMessage", message=say("second"))
    assert _contents(sent) == ["second"]


async def test_earlier_messages_of_a_context_precede_the_last() -> None:
    async with serving() as (served, _):
        first = await served.call("SendMessage", message=say("one"))
        context = first["result"]["task"]["contextId"]
        await served.call("SendMessage", message=say("fail", contextId=context))
        await served.call("SendMessage", message=say("two", contextId=context))
        last = await served.call("SendMessage", message=say("three", contextId=context))
    assert _contents(last) == ["one", "You said: one", "two", "You said: two", "three"]


async def test_a_conversation_keeps_its_newest_messages_in_the_length_of_the_contract() -> None:
    async with serving() as (served, _):
        for number in range(12):
            await served.call("SendMessage", message=say(f"{number} " + "x" * 990, contextId="long"))
        last = await served.call("SendMessage", message=say("last", contextId="long"))
    contents = _contents(last)
    assert len(contents) == 21
    assert contents[0].startswith("2 x")
    assert max(map(len, contents)) == 1000  # the answers were longer


async def test_a_task_takes_one_message() -> None:
    async with serving() as (served, guide):
        task = await served.begin("wait")
        again = await served.call("SendMessage", message=say("more", taskId=task))
        unknown = await served.call("SendMessage", message=say("more", taskId="nobody's"))
        guide.gate.set()
    assert again["error"]["code"] == -32004
    assert "contextId" in again["error"]["message"]
    assert unknown["error"]["code"] == -32001


async def test_callers_with_different_tokens_see_their_own_tasks_alone() -> None:
    async with serving(MCP_AUTH_TOKEN="anna,bert") as (served, _):
        mine = await served.call("SendMessage", message=say("secret", contextId="shared"))
        task = mine["result"]["task"]["id"]
        bert = {"Authorization": "Bearer bert"}
        calls = [
            ("GetTask", {"id": task}),
            ("CancelTask", {"id": task}),
            ("SubscribeToTask", {"id": task}),
            ("ListTasks", {}),
        ]
        theirs = {
            method: (
                await served.post("/a2a/v1", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, **bert)
            ).json()
            for method, params in calls
        }
        answer = await served.post(
            "/a2a/v1",
            {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": say("hi", contextId="shared")}},
            **bert,
        )
        assert (await served.call("GetTask", id=task))["result"]["id"] == task
    assert [theirs[method]["error"]["code"] for method in ("GetTask", "CancelTask", "SubscribeToTask")] == [-32001] * 3
    assert theirs["ListTasks"]["result"]["tasks"] == []
    assert _contents(answer.json()) == ["hi"]


async def test_the_card_is_public_and_asks_for_a_token() -> None:
    async with serving(MCP_AUTH_TOKEN="anna") as (served, _):
        anybody: Any = {"Authorization": ""}
        public = await served.http.get("/.well-known/agent-card.json", headers=anybody)
        rejected = await served.post("/a2a", {}, **anybody)
        card = await served.card()
    assert public.status_code == 200
    assert card.security_schemes["bearer"].http_auth_security_scheme.scheme == "Bearer"
    assert [list(each.schemes) for each in card.security_requirements] == [["bearer"]]
    assert rejected.status_code == 401
    assert rejected.json()["error"]["code"] == "UNAUTHORIZED"


async def test_the_challenge_names_metadata_that_everybody_may_read() -> None:
    async with serving(
        MCP_JWT_ISSUER="https://id.example",
        MCP_JWT_KEYS_URL="https://id.example/keys",
        MCP_RESOURCE_URL="https://guide.example/a2a",
    ) as (served, _):
        rejected = await served.post("/a2a", {})
        metadata = await served.http.get("/.well-known/oauth-protected-resource/a2a")
    url = "https://guide.example/.well-known/oauth-protected-resource/a2a"
    assert rejected.headers["www-authenticate"] == f'Bearer resource_metadata="{url}"'
    assert metadata.json()["authorization_servers"] == ["https://id.example"]


async def test_a_task_outlives_the_client_of_its_stream() -> None:
    async with serving() as (served, guide), asyncio.timeout(PATIENCE_S):
        client = await served.client()
        stream = client.send_message(message(Part(text="wait")))
        task = (await anext(stream)).task.id
        await guide.started.acquire()
        await client.close()
        other = await served.client("HTTP+JSON")
        following = other.subscribe(SubscribeToTaskRequest(id=task))
        await anext(following)
        guide.gate.set()
        assert [describe(event) async for event in following][-1] == "completed"


async def test_another_stream_can_follow_a_running_task() -> None:
    async with serving() as (served, guide), asyncio.timeout(PATIENCE_S):
        task = await served.begin("wait, step one")
        await guide.started.acquire()
        body = {"jsonrpc": "2.0", "id": 1, "method": "SubscribeToTask", "params": {"id": task}}
        async with served.http.stream("POST", "/a2a/v1", json=body, headers={"A2A-Version": "1.0"}) as response:
            lines = response.aiter_lines()
            assert "TASK_STATE_WORKING" in await anext(lines)
            guide.gate.set()
            rest = [line async for line in lines if line]
    assert "step one" in rest[0]
    assert "TASK_STATE_COMPLETED" in rest[-1]


def _contents(response: dict[str, Any]) -> list[str]:
    """Return the contents of the messages that the handler saw."""
    (artifact,) = response["result"]["task"]["artifacts"]
    return [each["content"] for each in artifact["parts"][1]["data"]["output"]["seen"]["messages"]]
