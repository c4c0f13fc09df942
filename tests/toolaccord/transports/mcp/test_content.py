"""Tools return text, images, audio and resources, with a result and alone, everywhere."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
import pytest

from tests.toolaccord.demo import gallery
from tests.toolaccord.demo.library_versions import tool as find_tool
from tests.toolaccord.generated.demo.errors import NoPaper
from tests.toolaccord.generated.demo.gallery.client import DRAW, GalleryClient
from tests.toolaccord.generated.demo.gallery.models import DrawRequest, ExplainRequest, ExplainResult
from tests.toolaccord.listener import listening
from tests.toolaccord.process import call, request, stateless_call
from tests.toolaccord.twins import both
from toolaccord.call.context import BoundOperation
from toolaccord.call.pipeline import Pipeline
from toolaccord.call.results import BrokenResultError, check_stored
from toolaccord.call.shared_cache import _schema_digest
from toolaccord.client.policies import ClientCache, ClientPolicies, ToolCache
from toolaccord.content import Audio, Content, EmbeddedResource, Image, ResourceLink, Text, WithContent
from toolaccord.declarations.operation import NO_RESULT
from toolaccord.errors import BrokenAnswer
from toolaccord.semantics.published_schemas import publish_schema
from toolaccord.testing import Era, ManualClock, capture_logs, connect, connection, pipeline
from toolaccord.transports.mcp.tool_list import list_tools

ERAS = get_args(Era)
PICTURE = {"type": "image", "data": "AAAAAA==", "mimeType": "image/png"}
HELLO = request(
    "hello", "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "test", "version": "1"}
)
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("draw", {"size": 4}),
    ("draw", {"size": gallery.NO_PAPER_SIZE}),
    ("draw", {"size": 0}),
    ("explain", {}),
    ("explain", {"broken": True}),
]


def gallery_pipeline() -> Pipeline:
    return pipeline(gallery.server())


@pytest.mark.parametrize("era", ERAS)
async def test_a_tool_without_returns_answers_its_content_alone(era: Era) -> None:
    async with connect(gallery.server(), era=era) as client:
        result = await client.call_tool("draw", {"size": 4})
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert [block.model_dump(by_alias=True, exclude_none=True) for block in result.content] == [PICTURE]
    assert result.structured_content is None
    assert listed["draw"].output_schema is None
    assert listed["explain"].output_schema


@pytest.mark.parametrize("era", ERAS)
async def test_a_tool_with_returns_answers_its_envelope_and_then_its_content(era: Era) -> None:
    async with connect(gallery.server(), era=era) as client:
        result = await client.call_tool("explain", {})
    envelope, *content = result.content
    assert result.structured_content is not None
    assert result.structured_content["data"] == {"title": "Dawn"}
    assert json.loads(envelope.model_dump()["text"]) == result.structured_content
    assert [block.type for block in content] == ["text", "image", "audio", "resource", "resource", "resource_link"]


async def test_an_error_of_a_tool_without_returns_is_a_text_without_structure() -> None:
    answer = await gallery_pipeline().call("draw", {"size": gallery.NO_PAPER_SIZE})
    async with connect(gallery.server()) as client:
        result = await client.call_tool("draw", {"size": gallery.NO_PAPER_SIZE})
    assert (answer.code, answer.content, result.is_error, result.structured_content) == ("NO_PAPER", None, True, None)
    assert json.loads(result.content[0].model_dump()["text"])["error"]["code"] == "NO_PAPER"


@pytest.mark.parametrize("era", ERAS)
async def test_the_fast_path_answers_content_as_the_sdk_does(era: Era) -> None:
    make = call if era == "handshake" else stateless_call
    requests = [make(index, name, **arguments) for index, (name, arguments) in enumerate(CALLS)]
    opening = [HELLO, {"jsonrpc": "2.0", "method": "notifications/initialized"}] if era == "handshake" else []
    fast_path, sdk = await both(gallery_pipeline, [json.dumps(each).encode() for each in (*opening, *requests)])
    assert len(fast_path) == len(CALLS) + (era == "handshake")
    assert fast_path == sdk


@pytest.mark.parametrize("kind", ["image/gif", "text/plain", "image"])
async def test_a_media_type_that_the_contract_does_not_list_is_an_internal_error(kind: str) -> None:
    class Painter(gallery.Gallery):
        async def draw(self, request: DrawRequest, _call: Any, /) -> list[Image]:
            return [Image(bytes(request.size), kind)]

    with capture_logs() as records:
        answer = await pipeline(gallery.server(Painter())).call("draw", {"size": 1})
    assert (answer.is_error, answer.code) == (True, "INTERNAL_ERROR")
    assert "draw returned invalid content" in str(next(each.exc_info for each in records if each.exc_info))


@pytest.mark.parametrize(
    "content",
    [
        Text("a caption"),
        "a text",
        Image("text", "image/png"),  # type: ignore[arg-type]
        Image(b"", "audio/wav"),
        EmbeddedResource("no-scheme", "text"),
        ResourceLink("file:///a b", "blank"),
        Audio(b"", "audio/"),
        Text(7),  # type: ignore[arg-type]
        Text("\ud800"),
        ResourceLink("file:///a", None),  # type: ignore[arg-type]
    ],
    ids=repr,
)
async def test_content_that_breaks_the_contract_or_mcp_is_an_internal_error(content: Any) -> None:
    class Painter(gallery.Gallery):
        async def draw(self, _request: DrawRequest, _call: Any, /) -> list[Image]:
            return [content]

        async def explain(self, _request: ExplainRequest, _call: Any, /) -> WithContent[ExplainResult, Content]:
            return WithContent(ExplainResult(title="Dawn"), [content])

    with capture_logs():
        drawn = await pipeline(gallery.server(Painter())).call("draw", {"size": 1})
        explained = await pipeline(gallery.server(Painter())).call("explain", {})
    assert drawn.code == "INTERNAL_ERROR"
    assert explained.is_error != (content == Text("a caption"))  # a text is content of that tool


async def test_a_cached_content_is_answered_without_the_handler() -> None:
    handlers = gallery.Gallery()
    calls = pipeline(gallery.server(handlers))
    first, second = [await calls.call("draw", {"size": 4}) for _ in range(2)]
    assert (handlers.drawn, first.content) == (1, second.content)


async def test_an_older_version_has_the_same_content() -> None:
    answer = await gallery_pipeline().call("draw", {"bytes": 4}, version="1.0.0")
    assert json.loads(answer.content or b"") == [PICTURE]


def test_a_stored_result_with_content_is_checked_and_replayed_whole() -> None:
    bound = BoundOperation(find_tool(gallery.server(), "explain"), ManualClock())
    stored = b'{"title":"Dawn"}\n[{"type":"text","text":"A red sky"}]'
    assert check_stored(bound, stored) == stored
    with pytest.raises(BrokenResultError):
        check_stored(bound, b'{"name":"Dawn"}\n[]')


def test_replicas_whose_contracts_list_other_content_share_no_results() -> None:
    tool = find_tool(gallery.server(), "draw")
    assert _schema_digest(tool) != _schema_digest(replace(tool, content=("image",)))


async def test_rest_answers_content_as_mcp_does_and_as_openapi_says() -> None:
    async with listening(module="tests.toolaccord.demo.gallery") as server:
        drawn = await server.client.post("/mcp/tools/draw", json={"size": 4})
        explained = await server.client.post("/mcp/tools/explain", json={})
    assert drawn.json() == {"content": [PICTURE]}
    assert explained.json()["structuredContent"]["data"] == {"title": "Dawn"}
    for name, answer in (("Draw", drawn), ("Explain", explained)):
        assert openapi_schema(f"{name}Response").is_valid(answer.json())
        assert not openapi_schema(f"{name}Response").is_valid({"content": [{"type": "text"}]})


def openapi_schema(name: str) -> jsonschema_rs.Validator:
    """Return a validator of a component of the gallery's OpenAPI document."""
    from toolaccord_codegen.compiler import compile_folder  # noqa: PLC0415 - one test needs the compiler
    from toolaccord_codegen.emit.openapi.document import build_openapi_files  # noqa: PLC0415 - likewise

    contracts = compile_folder(Path(__file__).parents[2] / "contracts").contracts
    files = build_openapi_files(each for each in contracts if each.module == "gallery")
    components = json.loads(files["demo/gallery/openapi.json"])["components"]
    return jsonschema_rs.validator_for({**components["schemas"][name], "components": components})


@pytest.mark.parametrize("era", ERAS)
async def test_the_typed_client_returns_the_records_that_the_handler_returned(era: Era) -> None:
    async with GalleryClient(connection(gallery.server(), era=era)) as client:
        assert await client.draw(DrawRequest(size=2)) == (Image(b"\0\0", "image/png"),)
        explained = await client.explain(ExplainRequest())
        assert (explained.result, explained.content) == (ExplainResult(title="Dawn"), gallery.DAWN)
        with pytest.raises(NoPaper, match="Fill in paper"):
            await client.draw(DrawRequest(size=gallery.NO_PAPER_SIZE))


@pytest.mark.parametrize("era", ERAS)
async def test_the_typed_client_returns_no_content_where_the_handler_returned_none(era: Era) -> None:
    class Painter(gallery.Gallery):
        async def draw(self, _request: DrawRequest, _call: Any, /) -> list[Image]:
            return []

    async with GalleryClient(connection(gallery.server(Painter()), era=era)) as client:
        assert await client.draw(DrawRequest(size=2)) == ()


async def test_an_answer_without_the_result_that_the_contract_promises_is_broken() -> None:
    class Painter(gallery.Gallery):
        async def explain(self, _request: ExplainRequest, _call: Any, /) -> Any:
            return [Image(b"", "image/png")]

    declared = gallery.server(Painter())
    other = replace(declared, tools=tuple(replace(tool, returns=NO_RESULT) for tool in declared.tools))
    async with GalleryClient(connection(other)) as client:
        with pytest.raises(BrokenAnswer):
            await client.explain(ExplainRequest())


async def test_a_client_with_a_cache_keeps_content() -> None:
    cached = ClientPolicies(clock=ManualClock(), cache=ClientCache(tools={DRAW: ToolCache(ttl_s=60)}, prefix="test"))
    async with GalleryClient(connection(gallery.server()), cached) as client:
        first, second = [await client.call(DRAW, DrawRequest(size=2)) for _ in range(2)]
    assert (first.age_s, second.age_s) == (None, 0)
    assert first.result == second.result == (Image(b"\0\0", "image/png"),)


def test_a_tool_without_content_is_listed_with_its_output_schema() -> None:
    listed = {tool["name"]: tool for tool in list_tools(gallery.server(), ManualClock().now().date())}
    assert "outputSchema" not in listed["draw"]
    success, _ = listed["explain"]["outputSchema"]["oneOf"]
    assert success["properties"]["data"] == publish_schema(find_tool(gallery.server(), "explain").returns)
