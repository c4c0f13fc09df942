"""Attacks on `requestState`, which carries the answers of a call from one round to the next."""

from pathlib import Path
from typing import Any

import pytest

from tests.services.valkey import Valkey
from tests.toolaccord.asks.conftest import KEY
from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import started, stateless_call

DESK = "tests.toolaccord.demo.desk"
CAPABILITIES: dict[str, Any] = {"elicitation": {}, "sampling": {}, "roots": {}}
ANN: dict[str, Any] = {"traveller": {"action": "accept", "content": {"name": "Ann"}}}
YES: dict[str, Any] = {"confirmation": {"action": "accept", "content": {"yes": True}}}
pytestmark = pytest.mark.asyncio(loop_scope="module")


async def post(
    server: Listener, tool: str = "book_trip", token: str = "first", city: str = "Rome", **params: Any
) -> tuple[int, dict[str, Any]]:
    """Send a call of the stateless era; return the status and the response."""
    message = stateless_call(1, tool, city=city)
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = CAPABILITIES
    message["params"] |= params
    headers = {
        "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer {token}",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    response = await server.client.post("/mcp", json=message, headers=headers)
    return response.status_code, response.json()


async def ask(server: Listener, **params: Any) -> dict[str, Any]:
    """Return the result of a call that asks."""
    status, response = await post(server, **params)
    assert (status, response["result"]["resultType"]) == (200, "input_required")
    result: dict[str, Any] = response["result"]
    return result


async def is_rejected(server: Listener, state: str, **params: Any) -> bool:
    """Return whether a call with *state* and an answer is rejected as a state of no such call."""
    status, response = await post(server, **{"inputResponses": ANN, **params}, requestState=state)
    return (status, response.get("error", {}).get("message")) == (400, "Invalid or expired requestState")


async def test_a_call_is_finished_in_rounds(desk: Listener) -> None:
    first = await ask(desk)
    assert list(first["inputRequests"]) == ["traveller"]
    second = await ask(desk, requestState=first["requestState"], inputResponses=ANN)
    assert list(second["inputRequests"]) == ["confirmation"]
    assert second["requestState"] != first["requestState"]
    _, last = await post(desk, requestState=second["requestState"], inputResponses=YES)
    assert last["result"]["structuredContent"] == {"booking": "Ann: 1 second to Rome"}
    assert last["result"]["resultType"] == "complete"


async def test_a_state_does_not_show_what_it_holds(desk: Listener) -> None:
    first = await ask(desk)
    second = await ask(desk, requestState=first["requestState"], inputResponses=ANN)
    assert "Ann" not in second["requestState"]


async def test_a_changed_state_is_rejected(desk: Listener) -> None:
    state = (await ask(desk))["requestState"]
    for place in range(0, len(state), 9):
        changed = state[:place] + ("A" if state[place] != "A" else "B") + state[place + 1 :]
        assert await is_rejected(desk, changed), place
    for cut in ("", "v1.", state[:-1], state[3:], f"{state}A", "A" * 100, "v1." + "A" * 100):
        assert await is_rejected(desk, cut)


async def test_a_state_belongs_to_its_arguments_tool_version_and_caller(desk: Listener) -> None:
    state = (await ask(desk))["requestState"]
    assert await is_rejected(desk, state, city="Paris")
    assert await is_rejected(desk, state, tool="quote_trip")
    assert await is_rejected(desk, state, token="second")
    assert await is_rejected(desk, state, version="1.0.0")
    assert not await is_rejected(desk, state)


async def test_a_state_is_used_once(desk: Listener) -> None:
    state = (await ask(desk))["requestState"]
    assert not await is_rejected(desk, state)
    assert await is_rejected(desk, state)


async def test_answers_that_take_too_much_room_fail_the_call(desk: Listener) -> None:
    first = await ask(desk, tool="plan_trip")
    root = {"uri": "file:///" + "x" * 40_000}
    given = {"folders": {"roots": [root]}}
    _, response = await post(desk, tool="plan_trip", requestState=first["requestState"], inputResponses=given)
    assert response["result"]["isError"]
    assert "take more than 32768 bytes" in response["result"]["content"][0]["text"]


async def test_a_state_of_nothing_but_quotes_is_accepted_up_to_the_largest_size(desk: Listener) -> None:
    first = await ask(desk, tool="plan_trip")
    given = {"folders": {"roots": [{"uri": "file:///", "name": '"\\' * 7_500}]}}
    second = await ask(desk, tool="plan_trip", requestState=first["requestState"], inputResponses=given)
    assert len(second["requestState"]) > 70_000
    third = await ask(desk, tool="plan_trip", requestState=second["requestState"], inputResponses={})
    assert sorted(third["inputRequests"]) == ["slogan", "traveller"]


async def test_null_for_an_optional_field_counts_as_absent(desk: Listener) -> None:
    filled = {"traveller": {"action": "accept", "content": {"name": "Ann", "seats": None, "class": None}}}
    _, last = await post(desk, inputResponses=filled | YES)
    assert last["result"]["structuredContent"] == {"booking": "Ann: 1 second to Rome"}


async def test_an_answer_counts_only_for_what_was_asked(desk: Listener) -> None:
    state = (await ask(desk))["requestState"]
    second = await ask(desk, requestState=state, inputResponses=ANN | YES)
    assert list(second["inputRequests"]) == ["confirmation"]
    again = await ask(desk, requestState=second["requestState"], inputResponses={})
    assert list(again["inputRequests"]) == ["confirmation"]


async def test_a_first_request_may_answer_what_its_caller_knows_that_it_will_be_asked(desk: Listener) -> None:
    first = await ask(desk, inputResponses=ANN | {"unknown": {"action": "decline"}})
    assert list(first["inputRequests"]) == ["confirmation"]
    _, last = await post(desk, requestState=first["requestState"], inputResponses=YES)
    _, at_once = await post(desk, inputResponses=ANN | YES)
    assert last["result"]["content"] == at_once["result"]["content"]


async def test_an_answer_of_another_kind_is_rejected(desk: Listener) -> None:
    state = (await ask(desk))["requestState"]
    wrong = {"traveller": {"roots": [{"uri": "file:///home"}]}}
    _, response = await post(desk, requestState=state, inputResponses=wrong)
    assert response["result"]["isError"]
    assert "The answer to traveller is no result of elicitation/create" in response["result"]["content"][0]["text"]


async def test_another_replica_goes_on_with_a_call_only_if_it_shares_the_key(desk: Listener) -> None:
    tokens = {"MCP_AUTH_TOKEN": "first,second"}
    state = (await ask(desk))["requestState"]
    async with listening(module=DESK, environ=tokens | {"MCP_STATE_KEY": f"{'n' * 40}, {KEY}"}) as sharing:
        second = await ask(sharing, requestState=state, inputResponses=ANN)
    _, last = await post(desk, requestState=second["requestState"], inputResponses=YES)
    assert last.get("error", {}).get("message") == "Invalid or expired requestState"  # sealed by the new key alone
    async with listening(module=DESK, environ=tokens) as other:
        assert await is_rejected(other, state)


async def test_a_state_is_used_once_by_all_replicas_that_share_a_redis_and_by_each_while_it_is_away(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    redis = Valkey(tmp_path)
    redis.start()
    request.addfinalizer(redis.stop)
    environ = {"MCP_AUTH_TOKEN": "first,second", "MCP_STATE_KEY": KEY, "REDIS_URL": redis.url}
    shared = "tests.toolaccord.demo.shared_desk"
    async with (
        listening(module=shared, environ=environ) as one,
        listening(module=shared, environ=environ) as other,
    ):
        state = (await ask(one))["requestState"]
        assert await is_rejected(other, state, version="1.0.0")
        assert not await is_rejected(other, state)
        assert await is_rejected(one, state)
        state = (await ask(one))["requestState"]
        redis.stop()
        assert not await is_rejected(one, state)
        assert await is_rejected(one, state)
        await one.process.log_has("source shared is unavailable: ")


async def test_a_state_expires_one_that_is_too_long_is_not_opened_and_the_key_stays_secret() -> None:
    environ = {"MCP_AUTH_TOKEN": "first", "MCP_STATE_KEY": KEY, "MCP_ASK_TIMEOUT_S": "0.001"}
    async with listening(module=DESK, environ=environ) as server:
        assert await is_rejected(server, "v1." + "A" * 1_000_000)
        state = (await ask(server))["requestState"]
        assert await is_rejected(server, state)
        await server.process.log_has("requestState rejected on tools/call: expired")
        assert b"unknown key" not in server.process.logged
        assert KEY.encode() not in server.process.logged


async def test_a_short_key_is_refused() -> None:
    async with started("--transport", "http", module=DESK, environ={"MCP_STATE_KEY": "short"}) as process:
        assert await process.exit_code() == 2
        assert b"MCP_STATE_KEY" in process.logged
