"""Clients of both eras list, read and complete the resources of a contract."""

import asyncio
import base64
import json
from collections.abc import Sequence
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, MCPError

from tests.toolaccord.compilation import FOLDER
from tests.toolaccord.demo.museum import Keeper
from tests.toolaccord.generated.demo.museum.server import server
from toolaccord.testing import Era, ManualClock, capture_logs, connect

pytestmark = pytest.mark.parametrize("era", ["stateless", "handshake"])
LOGO = FOLDER / "contracts/demo/files/logo.png"
PIECES = types.ResourceTemplateReference(uri="museum://pieces/{room}/{number}")
PHOTOS = types.ResourceTemplateReference(uri="museum://photos/{name}")


async def read(uri: str, era: Era) -> types.TextResourceContents | types.BlobResourceContents:
    """Return the content at a URI."""
    async with connect(server(Keeper()), era=era) as client:
        return (await client.read_resource(uri)).contents[0]


async def fail_to_read(uri: str, era: Era) -> MCPError:
    """Return the error of a read."""
    async with connect(server(Keeper()), era=era) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
    return caught.value


async def test_the_lists_have_each_resource_in_the_contract_s_order(era: Era) -> None:
    async with connect(server(Keeper()), era=era) as client:
        listed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
    assert [each.uri for each in listed] == [
        "museum://rules",
        "museum://logo",
        "museum://catalogue",
        "museum://rooms",
        "contract://museum-mcp/move_piece",
    ]
    assert [each.uri_template for each in templates] == [PIECES.uri, PHOTOS.uri]
    rules, logo = listed[:2]
    assert (rules.name, rules.title, rules.description) == ("rules", "Rules of the house", "Rules for visitors.")
    assert (rules.mime_type, rules.size) == ("text/plain", len("Do not touch."))
    assert (logo.title, logo.size) == (None, LOGO.stat().st_size)


async def test_a_static_text_is_that_of_the_contract(era: Era) -> None:
    found = await read("museum://rules", era)
    assert isinstance(found, types.TextResourceContents)
    assert (found.text, found.mime_type, found.uri) == ("Do not touch.", "text/plain", "museum://rules")


async def test_a_static_file_has_the_bytes_of_the_file_beside_the_contract(era: Era) -> None:
    found = await read("museum://logo", era)
    assert isinstance(found, types.BlobResourceContents)
    assert base64.b64decode(found.blob, validate=True) == LOGO.read_bytes()


async def test_a_handler_s_text_is_the_content(era: Era) -> None:
    found = await read("museum://catalogue", era)
    assert isinstance(found, types.TextResourceContents)
    assert (found.text, found.mime_type) == ("* north 1\n* north 2\n* north 3", "text/markdown")


async def test_a_handler_s_bytes_are_sent_in_base64(era: Era) -> None:
    found = await read("museum://photos/s%C3%BCd%20%2F1", era)
    assert isinstance(found, types.BlobResourceContents)
    assert base64.b64decode(found.blob).decode() == "süd /1"


async def test_a_handler_s_record_is_sent_as_json_without_an_envelope(era: Era) -> None:
    found = await read("museum://pieces/north/2", era)
    assert isinstance(found, types.TextResourceContents)
    assert json.loads(found.text) == {"number": 2, "place": "shelf"}


async def test_the_contract_of_a_tool_is_a_resource_with_references_inlined(era: Era) -> None:
    found = await read("contract://museum-mcp/move_piece", era)
    assert isinstance(found, types.TextResourceContents)
    contract = json.loads(found.text)
    assert contract["name"] == "move_piece"
    assert contract["parameters"]["properties"]["room"]["enum"] == ["north", "north-east", "south"]
    assert "effects" not in contract


@pytest.mark.parametrize("uri", ["museum://nothing", "museum://pieces/north", "museum://pieces/north/1/2", "rules"])
async def test_a_uri_of_no_resource_is_not_found(era: Era, uri: str) -> None:
    error = await fail_to_read(uri, era)
    assert error.code == (-32602 if era == "stateless" else -32002)
    assert error.data == {"uri": uri}


async def test_a_handler_that_finds_nothing_says_so(era: Era) -> None:
    error = await fail_to_read("museum://pieces/north/9", era)
    assert error.code == (-32602 if era == "stateless" else -32002)
    assert (error.message, error.data) == ("The room north has no piece 9.", {"uri": "museum://pieces/north/9"})


async def test_values_that_break_the_schema_never_reach_the_handler(era: Era) -> None:
    error = await fail_to_read("museum://pieces/west/0x1", era)
    assert error.code == -32602
    assert "/room must be one of" in error.message
    assert "/number must be an integer" in error.message
    assert error.data["error"]["code"] == "INVALID_ARGUMENTS"


async def test_a_declared_error_has_the_dialect_s_envelope_as_data(era: Era) -> None:
    error = await fail_to_read("museum://pieces/south/1", era)
    assert (error.code, error.message) == (-32602, "The piece is on loan.")
    assert error.data["error"]["code"] == "PIECE_ON_LOAN"
    assert error.data["error"]["details"] == {"lent_to": "Hermitage"}


async def test_a_failing_source_is_reported_without_its_text(era: Era) -> None:
    error = await fail_to_read("museum://pieces/south/2", era)
    assert error.code == -32603
    assert error.data["error"]["code"] == "UNAVAILABLE"
    assert "sesame" not in json.dumps([error.message, error.data])


async def test_a_read_ends_at_its_deadline(era: Era) -> None:
    clock, keeper = ManualClock(), Keeper()
    async with connect(server(keeper), clock=clock, era=era) as client:
        reading = asyncio.create_task(client.read_resource("museum://pieces/south/3"))
        await keeper.waiting.wait()
        clock.advance(5.1)
        with pytest.raises(MCPError) as caught:
            await reading
    assert caught.value.data["error"]["code"] == "TIMEOUT"
    assert keeper.cancelled == 1


async def test_reads_beyond_the_rate_limit_are_rejected(era: Era) -> None:
    async with connect(server(Keeper()), era=era) as client:
        for number in range(50):
            await client.read_resource(f"museum://photos/{number}")
        with pytest.raises(MCPError) as caught:
            await client.read_resource("museum://photos/51")
        await client.read_resource("museum://rules")
    assert (caught.value.code, caught.value.data["error"]["code"]) == (-32603, "RATE_LIMITED")


async def test_a_read_is_logged_as_a_call_is(era: Era) -> None:
    with capture_logs() as records:
        await read("museum://pieces/north/2", era)
    (logged,) = (vars(record)["fields"] for record in records if record.getMessage() == "call")
    assert (logged["tool"], logged["status"]) == ("resources/read piece", "success")


async def test_an_enum_completes_a_value_by_its_beginning(era: Era) -> None:
    async with connect(server(Keeper()), era=era) as client:
        found = await complete(client, PIECES, "room", "NORTH")
    assert (found.values, found.total, found.has_more) == (["north", "north-east"], 2, False)


async def test_a_handler_completes_a_value_with_a_hundred_at_most(era: Era) -> None:
    async with connect(server(Keeper()), era=era) as client:
        found = await complete(client, PHOTOS, "name", "a")
    assert (found.values[0], found.values[-1], len(found.values)) == ("a0", "a99", 100)
    assert (found.total, found.has_more) == (250, True)


async def test_a_handler_completes_a_hundred_times_in_ten_seconds_for_a_caller(era: Era) -> None:
    clock = ManualClock()
    async with connect(server(Keeper()), era=era, clock=clock) as client:
        for _ in range(100):
            await complete(client, PHOTOS, "name", "a")
        with pytest.raises(MCPError, match="100 times in 10 s") as caught:
            await complete(client, PHOTOS, "name", "a")
        assert caught.value.code == -32603
        assert (await complete(client, PIECES, "room", "s")).values == ["south"]
        clock.advance(10)
        assert (await complete(client, PHOTOS, "name", "a")).values[0] == "a0"


async def test_a_value_without_completion_has_no_values(era: Era) -> None:
    async with connect(server(Keeper()), era=era) as client:
        found = await complete(client, PIECES, "number", "1")
    assert (found.values, found.total) == ([], 0)


@pytest.mark.parametrize(
    "reference", [types.ResourceTemplateReference(uri="museum://x/{y}"), types.PromptReference(name="piece")]
)
async def test_an_unknown_owner_of_a_value_is_rejected(era: Era, reference: Any) -> None:
    async with connect(server(Keeper()), era=era) as client:
        with pytest.raises(MCPError) as caught:
            await complete(client, reference, "room", "")
    assert caught.value.code == -32602


async def test_only_resources_that_report_changes_can_be_subscribed_to(era: Era) -> None:
    async with connect(server(Keeper()), era=era) as client:
        assert await fail_to_watch(client, era, "museum://rooms") == -32602
        assert await fail_to_watch(client, era, "museum://none") == (-32602 if era == "stateless" else -32002)


@pytest.mark.parametrize(
    "uri, advice",
    [
        (
            "museum://pieces/%6Eorth/1",
            "This resource reports its changes as museum://pieces/north/1; subscribe to that.",
        ),
        ("museum://pieces/west/1", '/room must be one of "north", "north-east", "south"'),
        ("museum://pieces/north/x", "/number must be an integer"),
        (f"museum://pieces/north/{'1' * 8000}", "This server has no such resource."),
    ],
)
async def test_a_uri_under_which_no_change_is_reported_cannot_be_watched(era: Era, uri: str, advice: str) -> None:
    async with connect(server(Keeper()), era=era) as client:
        with pytest.raises(MCPError) as caught:
            await (subscribe(client, uri) if era == "handshake" else listen(client, [uri]))
    assert caught.value.message == advice


async def test_a_client_has_a_bounded_number_of_subscriptions(era: Era) -> None:
    rooms, numbers = ("north", "south"), range(1, 502)
    uris = [f"museum://pieces/{room}/{number}" for room in rooms for number in numbers][:1001]
    async with connect(server(Keeper()), era=era) as client:
        if era == "handshake":
            for uri in uris[:-1]:
                await subscribe(client, uri)
            await subscribe(client, uris[0])
            assert await fail_to_watch(client, era, uris[-1]) == -32602
        else:
            async with client.listen(resource_subscriptions=uris[:-1]):
                assert await fail_to_watch(client, era, *uris) == -32602


async def fail_to_watch(client: Client, era: Era, *uris: str) -> int:
    """Return the code of the error to a subscription."""
    with pytest.raises(MCPError) as caught:
        await (subscribe(client, uris[0]) if era == "handshake" else listen(client, uris))
    return caught.value.code


async def subscribe(client: Client, uri: str) -> None:
    """Subscribe to a URI as a client of the handshake era does."""
    params = types.SubscribeRequestParams(uri=uri)
    await client.session.send_request(types.SubscribeRequest(params=params), types.EmptyResult)


async def listen(client: Client, uris: Sequence[str]) -> None:
    """Subscribe to *uris* for a moment."""
    async with client.listen(resource_subscriptions=uris):
        pass


async def complete(client: Client, reference: Any, member: str, text: str) -> types.Completion:
    """Return the completion of *text*."""
    return (await client.complete(reference, {"name": member, "value": text})).completion
