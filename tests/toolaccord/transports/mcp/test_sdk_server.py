import asyncio
import dataclasses
import json
import re
from collections.abc import AsyncIterator
from datetime import date
from typing import Any, cast, get_args

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, RequestParamsMeta

from tests.toolaccord.demo import library, library_versions
from tests.toolaccord.demo.alarm import Warden
from tests.toolaccord.demo.library import Librarian, WoodenShelf
from tests.toolaccord.generated.demo.alarm import server as alarm
from tests.toolaccord.generated.demo.library.schemas import GET_BOOK_RETURNS
from toolaccord.semantics.published_schemas import publish_schema
from toolaccord.testing import Era, connect
from toolaccord.transports.mcp.jsonrpc import max_argument_values
from toolaccord.transports.mcp.tool_list import list_tools


@pytest.fixture(params=get_args(Era))
async def client(request: pytest.FixtureRequest) -> AsyncIterator[Client]:
    served = library.server(Librarian())
    settings = {"shelf_url": "s3cr3t"}
    async with connect(
        served, sources={"shelf": WoodenShelf("s3cr3t")}, settings=settings, era=request.param
    ) as client:
        yield client


def body(result: CallToolResult) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(result.content[0].text)  # type: ignore[union-attr]
    return read


async def test_tools_are_listed_in_the_order_of_the_contract_with_its_schemas(client: Client) -> None:
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == ["list_books", "get_book", "list_loans", "misbehave"]
    assert tools[0].input_schema == library.LIST_BOOKS_PARAMETERS
    assert tools[1].output_schema
    success, failure = tools[1].output_schema["oneOf"]
    assert success["properties"]["data"] == publish_schema(GET_BOOK_RETURNS)
    assert failure["properties"]["error"]["required"] == ["code", "message", "details"]
    assert tools[0].title == "Books"


async def test_hints_follow_from_what_a_tool_reads_and_writes(client: Client) -> None:
    tools = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
    reading, writing = tools["list_books"], tools["misbehave"]
    assert reading is not None
    assert writing is not None
    assert (reading.read_only_hint, reading.destructive_hint, reading.idempotent_hint) == (True, False, True)
    assert (writing.read_only_hint, writing.destructive_hint, writing.idempotent_hint) == (False, True, False)
    assert reading.open_world_hint is False


async def _publish_nothing(_place: str, _call: alarm.AlarmCall) -> None:
    raise NotImplementedError


@pytest.mark.parametrize(
    "adds, is_destructive", [(("state", "stream"), False), (("state",), True), (("stream",), True), ((), True)]
)
def test_a_tool_is_listed_as_destructive_unless_it_only_adds_everywhere(
    adds: tuple[str, ...], *, is_destructive: bool
) -> None:
    server = alarm.server(Warden(_publish_nothing))
    (raising,) = server.tools
    assert raising.writes == ("stream", "state")
    served = dataclasses.replace(server, tools=(dataclasses.replace(raising, adds=adds),))
    (listed,) = list_tools(served, date(2027, 1, 1))
    hints = listed["annotations"]
    assert (hints["readOnlyHint"], hints["destructiveHint"], hints["idempotentHint"]) == (False, is_destructive, False)


async def test_a_result_has_text_and_structured_content(client: Client) -> None:
    result = await client.call_tool("get_book", {"id": 7})
    assert not result.is_error
    assert body(result) == result.structured_content
    assert body(result)["data"] == {"id": 7, "title": "get 7"}
    assert body(result)["_metadata"]["cache_ttl_remaining"] is None


async def test_a_call_needs_no_arguments_member(client: Client) -> None:
    assert not (await client.call_tool("list_loans")).is_error


async def test_an_error_is_a_result_with_its_code(client: Client) -> None:
    result = await client.call_tool("get_book", {"id": "5"})
    assert result.is_error
    assert body(result) == result.structured_content
    assert body(result)["error"]["code"] == "INVALID_PARAMETER"


async def test_a_result_carries_its_correlation_id(client: Client) -> None:
    first, second = (cast("RequestParamsMeta", {"corr_id": each}) for each in ("abc-1", "abc-2"))
    given = await client.call_tool("get_book", {"id": 7}, meta=first)
    failed = await client.call_tool("get_book", {"id": 999}, meta=second)
    made = await client.call_tool("get_book", {"id": 7})
    assert [(result.meta or {})["corr_id"] for result in (given, failed)] == ["abc-1", "abc-2"]
    assert re.fullmatch("[0-9a-f]{32}", (made.meta or {})["corr_id"])


async def test_an_unknown_tool_is_a_protocol_error(client: Client) -> None:
    with pytest.raises(MCPError) as raised:
        await client.call_tool("nonsense", {})
    assert (raised.value.code, raised.value.message) == (-32602, "Unknown tool: nonsense")


async def test_an_unknown_cursor_is_a_protocol_error(client: Client) -> None:
    with pytest.raises(MCPError) as raised:
        await client.list_tools(cursor="next")
    assert raised.value.code == -32602


@pytest.mark.parametrize("how", ["crash", "undeclared", "source", "break", "stranger", "nan", "cancel"])
async def test_no_text_of_an_exception_reaches_the_client(client: Client, how: str) -> None:
    result = await client.call_tool("misbehave", {"how": how})
    assert result.is_error
    wire = result.model_dump_json()
    for text in ("s3cr3t", "Traceback", "effect", "cause", "undeclared word", "Error("):
        assert text not in wire


async def test_an_exception_outside_the_pipeline_is_hidden(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise RuntimeError("s3cr3t")

    monkeypatch.setattr("toolaccord.call.pipeline.Pipeline.answer", fail)
    with pytest.raises(MCPError) as raised:
        await client.call_tool("get_book", {"id": 7})
    assert (raised.value.code, raised.value.message) == (-32603, "Internal error")


async def test_concurrent_calls_get_their_own_answers(client: Client) -> None:
    results = await asyncio.gather(*(client.call_tool("get_book", {"id": 1 + number}) for number in range(100)))
    assert [body(result)["data"]["id"] for result in results] == list(range(1, 101))


async def test_the_server_introduces_itself(client: Client) -> None:
    assert client.server_info is None or (client.server_info.name, client.server_info.version) == (
        "library-mcp",
        "1.2.3",
    )


def test_the_sdk_gets_as_many_arguments_as_any_version_of_a_tool_admits() -> None:
    served = library_versions.server()
    long = {"type": "object", "properties": {"a": {"type": "array", "maxItems": 30_000, "items": {"type": "integer"}}}}
    tool = next(tool for tool in served.tools if tool.versions)
    older = dataclasses.replace(tool.versions[0], parameters=long)
    both = [dataclasses.replace(tool, parameters=long), dataclasses.replace(tool, versions=(older,))]
    most = [max_argument_values(dataclasses.replace(served, tools=(each,))) for each in (tool, *both)]
    assert most == [20_000, 30_001, 30_001]
