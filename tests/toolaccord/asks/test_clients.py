"""Asks, as clients of the SDK answer them in both eras and on both transports."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from pydantic import FileUrl

from tests.toolaccord.listener import Listener
from tests.toolaccord.process import ROOT

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.parametrize("mode", ERAS),
]
on_both_transports = pytest.mark.parametrize("transport", ["stdio", "http"])


class User:
    """A user and a client that answer what they are asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.forms: list[tuple[str, dict[str, Any]]] = []

    async def fill_in(self, _context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        self.forms.append((params.message, params.requested_schema))
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            return types.ElicitResult.model_validate({"action": answer})
        return types.ElicitResult(action="accept", content=answer)

    async def write(self, _context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        content = params.messages[0].content
        assert isinstance(content, types.TextContent)
        text = f"{content.text} {params.system_prompt} {params.max_tokens}"
        return types.CreateMessageResult(
            role="assistant", model="poet-1", content=types.TextContent(type="text", text=text)
        )

    async def list_roots(self, _context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=FileUrl("file:///home/ann"))])


@asynccontextmanager
async def connected(transport: str, mode: str, desk: Listener, user: User | None) -> AsyncIterator[Client]:
    """Give a client, which can be asked if it has a *user*."""
    callbacks: dict[str, Any] = (
        {
            "elicitation_callback": user.fill_in,
            "sampling_callback": user.write,
            "list_roots_callback": user.list_roots,
        }
        if user
        else {}
    )
    if transport == "stdio":
        arguments = ["-m", "tests.toolaccord.demo.desk"]
        process = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ), cwd=ROOT)
        async with Client(process, mode=mode, **callbacks) as client:
            yield client
        return
    async with httpx2.AsyncClient(headers={"Authorization": "Bearer first"}, timeout=60) as http_client:
        target: Any = streamable_http_client(f"{desk.client.base_url}/mcp", http_client=http_client)
        async with Client(target, mode=mode, **callbacks) as client:
            yield client


async def result_of(client: Client, tool: str, **arguments: Any) -> Any:
    """Return the result of a call that succeeds."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content
    return result.structured_content


@on_both_transports
async def test_a_handler_continues_with_the_answers_of_its_caller(transport: str, mode: str, desk: Listener) -> None:
    user = User({"name": "Ann", "seats": 2}, {"yes": True})
    async with connected(transport, mode, desk, user) as client:
        assert client.protocol_version == ERAS[mode]
        assert await result_of(client, "book_trip", city="Rome") == {"booking": "Ann: 2 second to Rome"}
    assert [message for message, _ in user.forms] == ["Who travels to Rome for 7 EUR?", "Book 2 seats for Ann?"]
    form = user.forms[0][1]
    assert form["properties"]["class"]["oneOf"][0] == {"const": "first", "title": "First class"}
    assert "additionalProperties" not in form


async def test_choices_of_one_and_of_several_reach_the_handler_by_their_values(mode: str, desk: Listener) -> None:
    user = User({"name": "Ann", "class": "first", "meals": ["v", "k"], "extras": ["dog"]}, {"yes": True})
    async with connected("http", mode, desk, user) as client:
        assert await result_of(client, "book_trip", city="Rome") == {
            "booking": "Ann: 1 first to Rome with v with k with dog"
        }
    fields = user.forms[0][1]["properties"]
    assert fields["meals"]["items"] == {
        "anyOf": [{"const": "v", "title": "Vegetarian"}, {"const": "k", "title": "Kosher"}]
    }
    assert fields["extras"]["items"] == {"type": "string", "enum": ["bicycle", "dog"]}


@pytest.mark.parametrize(
    "choice, place",
    [
        ({"class": "First class"}, "/class"),
        ({"meals": ["v", "Kosher"]}, "/meals/1"),
        ({"meals": "v"}, "/meals"),
        ({"meals": ["v", "k", "v"]}, "/meals"),
        ({"extras": ["cat"]}, "/extras/0"),
        ({"extras": []}, "/extras"),
    ],
)
async def test_a_choice_that_the_form_does_not_offer_fails_the_call(
    mode: str, choice: dict[str, Any], place: str, desk: Listener
) -> None:
    async with connected("http", mode, desk, User({"name": "Ann"} | choice)) as client:
        result = await client.call_tool("book_trip", {"city": "Rome"})
    assert result.is_error
    assert f"The answer to traveller breaks its schema: {place} " in str(result.content)


async def test_no_and_no_choice_reach_the_handler_apart(mode: str, desk: Listener) -> None:
    async with connected("http", mode, desk, User("decline", "cancel")) as client:
        assert await result_of(client, "book_trip", city="Rome") == {"booking": "Declined"}
        assert await result_of(client, "book_trip", city="Rome") == {"booking": "Cancelled"}


async def test_a_handler_asks_several_things_at_once(mode: str, desk: Listener) -> None:
    async with connected("http", mode, desk, User({"name": "Ann"})) as client:
        plan = await result_of(client, "plan_trip", city="Rome")
    assert plan == {"plan": "Ann, Praise Rome. Be brief. 50, file:///home/ann"}


async def test_an_answer_that_breaks_its_schema_fails_the_call(mode: str, desk: Listener) -> None:
    async with connected("http", mode, desk, User({"name": "Ann", "seats": 10})) as client:
        result = await client.call_tool("book_trip", {"city": "Rome"})
    assert result.is_error
    assert isinstance(result.content[0], types.TextContent)
    assert "The answer to traveller breaks its schema: /seats" in result.content[0].text


@on_both_transports
async def test_a_caller_that_cannot_be_asked_gets_the_error_for_it(transport: str, mode: str, desk: Listener) -> None:
    async with connected(transport, mode, desk, None) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("book_trip", {"city": "Rome"})
        assert caught.value.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY
        assert caught.value.data == {"requiredCapabilities": {"elicitation": {}}}
        assert await result_of(client, "quote_trip", city="Rome") == {"quote": "from 7 EUR"}


async def test_a_handler_that_never_stops_asking_is_stopped(mode: str, desk: Listener) -> None:
    limit = {"legacy": "asks more than 20 times", "auto": "asks in more than 10 rounds"}
    async with connected("http", mode, desk, User(*[{"yes": True}] * 30)) as client:
        result = await client.call_tool("nag", {"times": 30})
    assert result.is_error
    assert limit[mode] in str(result.content)
