"""Clients of both eras list, get and complete the prompts of a contract."""

import asyncio
import base64
from dataclasses import replace
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, MCPError

from tests.conformance import everything
from tests.toolaccord.compilation import FOLDER
from tests.toolaccord.demo.museum import Keeper
from tests.toolaccord.generated.demo.museum.server import server
from tests.toolaccord.process import PATIENCE_S
from tests.toolaccord.twins import both, line
from toolaccord.content import Message, Text
from toolaccord.declarations.resources import Completion
from toolaccord.testing import Era, ManualClock, capture_logs, connect, pipeline
from toolaccord.transports.mcp.sdk.server import create_mcp_server

pytestmark = pytest.mark.parametrize("era", ["stateless", "handshake"])
ENVELOPE: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "pytest", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HANDSHAKE = [
    line(
        {
            "jsonrpc": "2.0",
            "id": "hello",
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "pytest", "version": "1"},
            },
        }
    ),
    line({"jsonrpc": "2.0", "method": "notifications/initialized"}),
]
LOGO = FOLDER / "contracts/demo/files/logo.png"


async def get(name: str, era: Era, keeper: Any = None, **arguments: str) -> list[types.PromptMessage]:
    """Return the messages of a prompt."""
    async with connect(server(keeper or Keeper()), era=era) as client:
        return (await client.get_prompt(name, arguments)).messages


async def fail_to_get(name: str, era: Era, **arguments: str) -> MCPError:
    """Return the error of a prompt."""
    with pytest.raises(MCPError) as caught:
        await get(name, era, **arguments)
    return caught.value


async def complete(client: Client, name: str, argument: str, prefix: str) -> list[str]:
    """Return the values of an argument."""
    reference = types.PromptReference(name=name)
    return (await client.complete(reference, {"name": argument, "value": prefix})).completion.values


async def test_the_list_has_each_prompt_with_its_arguments(era: Era) -> None:
    async with connect(server(Keeper()), era=era) as client:
        guide, tell = (await client.list_prompts()).prompts
    assert (guide.name, guide.title, guide.description) == ("guide-me", "Guided tour", "A tour of some rooms.")
    assert [(each.name, each.description, each.required) for each in guide.arguments or ()] == [
        ("room", "Name of the room", True),
        ("minutes", "Length of the tour in minutes", False),
    ]
    assert (tell.name, tell.title) == ("tell", None)


async def test_the_messages_of_a_contract_have_the_values_of_arguments(era: Era) -> None:
    first, *_ = await get("guide-me", era, room="north-east", minutes="20")
    assert (first.role, first.content) == (
        "user",
        types.TextContent(text="Guide me through north-east in 20 minutes, { please }."),
    )


def opencode(era: Era) -> Client:
    """Return a client with the name of OpenCode."""
    declared = server(Keeper())
    served = create_mcp_server(declared, pipeline(declared))
    mode = {"stateless": "2026-07-28", "handshake": "legacy"}[era]
    return Client(served, mode=mode, client_info=types.Implementation(name="opencode", version="1"))


async def test_opencode_gets_placeholders_for_arguments_without_a_default(era: Era) -> None:
    async with opencode(era) as client:
        first, *_ = (await client.get_prompt("guide-me", {"room": "$1", "minutes": "$2"})).messages
    assert first.content == types.TextContent(text="Guide me through $1 in 30 minutes, { please }.")


async def test_placeholders_of_another_client_are_arguments_like_any(era: Era) -> None:
    assert (await fail_to_get("guide-me", era, room="$1", minutes="$2")).code == types.INVALID_PARAMS


@pytest.mark.parametrize(
    "arguments", [{"room": "$1"}, {"room": "$2", "minutes": "$1"}, {"room": "north", "minutes": "$2"}]
)
async def test_other_placeholders_are_arguments_like_any(era: Era, arguments: dict[str, str]) -> None:
    async with opencode(era) as client:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("guide-me", arguments)
    assert caught.value.code == types.INVALID_PARAMS


async def test_a_prompt_with_a_handler_gets_no_placeholders(era: Era) -> None:
    async with opencode(era) as client:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("tell", {"number": "$1"})
    assert caught.value.code == types.INVALID_PARAMS


async def test_an_argument_that_is_absent_has_its_default(era: Era) -> None:
    first, *_ = await get("guide-me", era, room="north")
    assert isinstance(first.content, types.TextContent)
    assert first.content.text == "Guide me through north in 30 minutes, { please }."


async def test_braces_in_a_value_stay_as_they_are(era: Era) -> None:
    arguments = {"arg1": "{arg2}", "arg2": "b"}
    async with connect(everything.server(), era=era) as client:
        (message,) = (await client.get_prompt("test_prompt_with_arguments", arguments)).messages
    assert message.content == types.TextContent(text="Prompt with arguments: arg1='{arg2}', arg2='b'")


async def test_images_and_static_resources_come_with_their_contents(era: Era) -> None:
    _, image, rules, logo = await get("guide-me", era, room="north")
    assert isinstance(image.content, types.ImageContent)
    assert image.content.mime_type == "image/png"
    assert base64.b64decode(image.content.data) == LOGO.read_bytes()
    assert (rules.role, rules.content) == (
        "assistant",
        types.EmbeddedResource(
            resource=types.TextResourceContents(uri="museum://rules", mime_type="text/plain", text="Do not touch.")
        ),
    )

    assert isinstance(logo.content, types.EmbeddedResource)
    assert isinstance(logo.content.resource, types.BlobResourceContents)
    assert base64.b64decode(logo.content.resource.blob) == LOGO.read_bytes()


async def test_a_handler_receives_arguments_of_their_types(era: Era) -> None:
    (message,) = await get("tell", era, number="3")
    assert message.content == types.TextContent(text="Tell me of piece 4.")


@pytest.mark.parametrize("arguments", [{}, {"number": "ten"}, {"number": "10"}, {"number": "3", "more": "x"}])
async def test_arguments_that_break_the_schema_never_reach_the_handler(era: Era, arguments: dict[str, str]) -> None:
    assert (await fail_to_get("tell", era, **arguments)).code == types.INVALID_PARAMS


async def test_a_declared_error_comes_with_its_details(era: Era) -> None:
    error = await fail_to_get("tell", era, number="1")
    assert (error.code, error.message) == (types.INVALID_PARAMS, "The piece is on loan.")
    assert "Hermitage" in str(error.data)


async def test_a_failure_of_a_source_says_nothing_of_its_cause(era: Era) -> None:
    error = await fail_to_get("tell", era, number="2")
    assert error.code == types.INTERNAL_ERROR
    assert "sesame" not in f"{error.message} {error.data}"


async def test_a_prompt_ends_at_its_deadline(era: Era) -> None:
    clock, keeper = ManualClock(), Keeper()
    async with connect(server(keeper), clock=clock, era=era) as client:
        getting = asyncio.create_task(client.get_prompt("tell", {"number": "9"}))
        async with asyncio.timeout(PATIENCE_S):
            await keeper.waiting.wait()
            clock.advance(5.1)
            with pytest.raises(MCPError) as caught:
                await getting
    assert caught.value.data["error"]["code"] == "TIMEOUT"
    assert keeper.cancelled == 1


async def test_prompts_beyond_the_rate_limit_are_rejected(era: Era) -> None:
    async with connect(server(Keeper()), era=era) as client:
        for _ in range(20):
            await client.get_prompt("tell", {"number": "3"})
        with pytest.raises(MCPError) as caught:
            await client.get_prompt("tell", {"number": "3"})
        await client.get_prompt("guide-me", {"room": "north"})
        assert await complete(client, "tell", "number", "2") == ["2"]
    assert (caught.value.code, caught.value.data["error"]["code"]) == (types.INTERNAL_ERROR, "RATE_LIMITED")


async def test_prompts_and_completions_are_logged_as_calls_are(era: Era) -> None:
    with capture_logs() as records:
        async with connect(server(Keeper()), era=era) as client:
            await client.get_prompt("tell", {"number": "3"})
            await complete(client, "tell", "number", "2")
    logged = [vars(record)["fields"] for record in records if record.getMessage() == "call"]
    assert [(line["tool"], line["status"]) for line in logged] == [
        ("prompts/get tell", "success"),
        ("completion/complete tell number", "success"),
    ]


async def test_a_prompt_that_nobody_declared_is_unknown(era: Era) -> None:
    error = await fail_to_get("none", era)
    assert (error.code, error.message) == (types.INVALID_PARAMS, "This server has no such prompt.")


async def test_arguments_are_completed_by_the_contract_or_by_a_handler(era: Era) -> None:
    async with connect(server(Keeper()), era=era) as client:
        assert await complete(client, "guide-me", "room", "NORTH") == ["north", "north-east"]
        assert await complete(client, "guide-me", "minutes", "1") == []
        assert await complete(client, "tell", "number", "2") == ["2"]


async def test_an_operation_beside_the_tools_is_no_tool(era: Era) -> None:
    meta = {"_meta": ENVELOPE} if era == "stateless" else {}
    called = [
        ("prompts/get tell", {"number": 3}),
        ("resources/read rules", {}),
        ("completion/complete tell number", {"prefix": ""}),
    ]
    sent = [
        line(
            {
                "jsonrpc": "2.0",
                "id": number,
                "method": "tools/call",
                "params": {"name": name, "arguments": given} | meta,
            }
        )
        for number, (name, given) in enumerate(called)
    ]
    opening = HANDSHAKE if era == "handshake" else []
    for served in await both(lambda: pipeline(server(Keeper())), [*opening, *sent]):
        errors = [each["error"]["message"] for each in served if "error" in each]
        assert sorted(errors) == sorted(f"Unknown tool: {name}" for name, _ in called)


async def test_listed_values_are_found_by_their_other_names_too_in_any_case(era: Era) -> None:
    async with connect(server(Keeper()), era=era) as client:
        assert await complete(client, "tell", "number", "VA") == ["1", "3"]
        assert await complete(client, "tell", "number", "") == ["1", "2", "3"]
        assert await complete(client, "tell", "number", "x") == []


async def test_listed_values_are_kept_for_the_time_of_the_contract(era: Era) -> None:
    keeper, clock = Keeper(), ManualClock()
    async with connect(server(keeper), era=era, clock=clock) as client:
        await asyncio.gather(*(complete(client, "tell", "number", prefix) for prefix in "123"))
        clock.advance(59.9)
        await complete(client, "tell", "number", "4")
        assert keeper.listed == 1
        clock.advance(0.1)
        await complete(client, "tell", "number", "4")
        assert keeper.listed == 2


async def test_a_list_that_failed_is_not_kept(era: Era) -> None:
    keeper = Keeper()
    async with connect(server(keeper), era=era) as client:
        keeper.is_closed = True
        with pytest.raises(MCPError):
            await complete(client, "tell", "number", "1")
        keeper.is_closed = False
        assert await complete(client, "tell", "number", "1") == ["1"]


async def test_capitals_do_not_matter_to_the_completion_of_listed_values(era: Era) -> None:
    found: Completion[Any] = Completion(member="arg1", values=("Apple", "apricot", "banana"))
    served = everything.server()
    prompts = [
        replace(each, completions=(found,)) for each in served.prompts if each.name == "test_prompt_with_arguments"
    ]
    async with connect(replace(served, prompts=tuple(prompts)), era=era) as client:
        assert await complete(client, "test_prompt_with_arguments", "arg1", "AP") == ["Apple", "apricot"]


@pytest.mark.parametrize("wrong", ["a text", ["a text"], [Message("system", Text("x"))]])  # type: ignore[arg-type]
async def test_a_handler_that_returns_no_messages_is_at_fault(era: Era, wrong: Any) -> None:
    class Careless(Keeper):
        async def prompt_tell(self, _request: Any, _call: Any, /) -> Any:
            return wrong

    with pytest.raises(MCPError) as caught:
        await get("tell", era, Careless(), number="3")
    assert caught.value.code == types.INTERNAL_ERROR
