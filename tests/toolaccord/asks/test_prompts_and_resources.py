"""Asks of prompts and resources, which clients of both eras answer as those of tools."""

from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, MCPError

from tests.toolaccord.asks.test_clients import ERAS, User, connected, on_both_transports
from tests.toolaccord.asks.test_request_state import ANN, CAPABILITIES, YES
from tests.toolaccord.asks.test_typed_client import DeskClient, Traveller
from tests.toolaccord.generated.demo.desk.client import answer_asks
from tests.toolaccord.generated.demo.desk.models import PromptPackForRequest, ReadTicketRequest
from tests.toolaccord.listener import Listener
from toolaccord.client.connection import Era
from toolaccord.content import Message, Text
from toolaccord.errors import BrokenAnswer

pytestmark = pytest.mark.asyncio(loop_scope="module")
in_both_eras = pytest.mark.parametrize("mode", ERAS)
PACKED = "Pack 2 bags of Ann for Rome."
URI = "desk://tickets/Rome"
PACK: dict[str, Any] = {"name": "pack-for", "arguments": {"city": "Rome"}}
READ: dict[str, Any] = {"uri": URI}


async def pack(client: Client) -> str:
    """Return the text of the prompt."""
    [message] = (await client.get_prompt("pack-for", {"city": "Rome"})).messages
    assert isinstance(message.content, types.TextContent)
    return message.content.text


async def read(client: Client) -> str:
    """Return the content of the resource."""
    [content] = (await client.read_resource(URI)).contents
    assert isinstance(content, types.TextResourceContents)
    return content.text


@in_both_eras
@on_both_transports
async def test_prompts_and_resources_go_on_with_the_answers_of_their_callers(
    transport: str, mode: str, desk: Listener
) -> None:
    user = User({"name": "Ann"}, {"yes": True}, {"name": "Bob"})
    async with connected(transport, mode, desk, user) as client:
        assert client.protocol_version == ERAS[mode]
        assert await pack(client) == PACKED
        assert await read(client) == "Bob to Rome"
    question = "Who travels to Rome for 7 EUR?"
    assert [message for message, _ in user.forms] == [question, "Book 1 seats for Ann?", question]


@in_both_eras
async def test_no_and_no_choice_reach_the_handlers_apart(mode: str, desk: Listener) -> None:
    async with connected("http", mode, desk, User("decline", "cancel", "cancel", "decline")) as client:
        assert [await pack(client), await pack(client)] == ["Declined", "Cancelled"]
        assert [await read(client), await read(client)] == ["Cancelled", "Declined"]


@in_both_eras
@pytest.mark.parametrize("use", [pack, read])
async def test_a_caller_that_cannot_be_asked_gets_the_error_for_it(
    use: Callable[[Client], Awaitable[str]], mode: str, desk: Listener
) -> None:
    async with connected("http", mode, desk, None) as client:
        with pytest.raises(MCPError) as caught:
            await use(client)
    assert caught.value.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY
    assert caught.value.data == {"requiredCapabilities": {"elicitation": {}}}


@in_both_eras
@pytest.mark.parametrize("use", [pack, read])
async def test_an_answer_that_breaks_its_schema_is_an_error(
    use: Callable[[Client], Awaitable[str]], mode: str, desk: Listener
) -> None:
    async with connected("http", mode, desk, User({"name": "Ann", "seats": 10})) as client:
        with pytest.raises(MCPError, match="The answer to traveller breaks its schema: /seats") as caught:
            await use(client)
    assert caught.value.code == types.INVALID_PARAMS


@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_callbacks_of_a_typed_client_answer_what_prompts_and_resources_ask(desk: Listener, era: Era) -> None:
    url = f"{desk.client.base_url}/mcp"
    async with DeskClient.http(url, token="first", era=era, answers=answer_asks(Traveller())) as typed:
        assert await typed.prompt_pack_for(PromptPackForRequest(city="Rome")) == (Message("user", Text(PACKED)),)
        assert await typed.read_ticket(ReadTicketRequest(city="Rome")) == "Ann to Rome"


async def test_a_typed_client_without_answers_says_that_it_cannot_be_asked(desk: Listener) -> None:
    async with DeskClient.http(f"{desk.client.base_url}/mcp", token="first") as typed:
        with pytest.raises(BrokenAnswer, match="needs a client with the capability elicitation"):
            await typed.read_ticket(ReadTicketRequest(city="Rome"))
        with pytest.raises(BrokenAnswer, match="needs a client with the capability elicitation"):
            await typed.prompt_pack_for(PromptPackForRequest(city="Rome"))


async def post(desk: Listener, method: str, params: dict[str, Any], token: str = "first") -> dict[str, Any]:
    """Return the response to a request of the stateless era."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "pytest", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": CAPABILITIES,
    }
    headers = {
        "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer {token}",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": method,
        "Mcp-Name": params["uri"] if "uri" in params else params["name"],
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": meta}}
    response: dict[str, Any] = (await desk.client.post("/mcp", json=message, headers=headers)).json()
    return response


@pytest.mark.parametrize(
    "method, params, others",
    [
        ("prompts/get", PACK, [("prompts/get", PACK | {"arguments": {"city": "Paris"}}), ("resources/read", READ)]),
        ("resources/read", READ, [("resources/read", {"uri": "desk://tickets/Paris"}), ("prompts/get", PACK)]),
    ],
)
async def test_a_state_belongs_to_one_request_of_one_caller_and_counts_once(
    desk: Listener, method: str, params: dict[str, Any], others: list[tuple[str, dict[str, Any]]]
) -> None:
    asked = (await post(desk, method, params))["result"]
    assert (asked["resultType"], [*asked["inputRequests"]]) == ("input_required", ["traveller"])
    answered = {"requestState": asked["requestState"], "inputResponses": ANN}
    tampered = answered | {"requestState": asked["requestState"][:-1]}
    foreign = [await post(desk, other, changed | answered) for other, changed in others]
    foreign.append(await post(desk, method, params | answered, token="second"))
    foreign.append(await post(desk, method, params | tampered))
    accepted = await post(desk, method, params | answered)
    assert "error" not in accepted
    foreign.append(await post(desk, method, params | answered))
    assert {each["error"]["message"] for each in foreign} == {"Invalid or expired requestState"}


async def test_a_prompt_keeps_the_answers_of_its_earlier_rounds(desk: Listener) -> None:
    first = (await post(desk, "prompts/get", PACK))["result"]
    answered = {"requestState": first["requestState"], "inputResponses": ANN}
    second = (await post(desk, "prompts/get", PACK | answered))["result"]
    assert [*second["inputRequests"]] == ["confirmation"]
    confirmed = {"requestState": second["requestState"], "inputResponses": YES}
    last = (await post(desk, "prompts/get", PACK | confirmed))["result"]
    assert (last["resultType"], last["messages"][0]["content"]["text"]) == ("complete", PACKED)
