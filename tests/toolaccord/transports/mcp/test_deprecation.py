"""Version notices in tool lists, results and headers, alike on every transport."""

from collections.abc import AsyncIterator
from typing import Any, cast

import httpx
import pytest

from tests.toolaccord.demo import library_versions
from tests.toolaccord.demo.library import WoodenShelf
from tests.toolaccord.open_access import OPEN
from tests.toolaccord.transports.mcp.test_fast_path import CLIENT
from tests.toolaccord.twins import both, line
from toolaccord.call.pipeline import Pipeline
from toolaccord.testing import Era, ManualClock, connect, pipeline
from toolaccord.transports.http.app import HttpApp, Pages

DAY_S = 24 * 3600
TODAY = {"versions": ["1.0.0", "0.9.0", "0.8.0"], "latest": "1.0.0", "deprecated": ["0.8.0"]}
SUNSET = {"sunset": {"0.9.0": "2026-03-31", "0.8.0": "2026-01-31"}}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def served(clock: ManualClock | None = None) -> Pipeline:
    sources, settings = {"shelf": WoodenShelf("s3cr3t")}, {"shelf_url": "s3cr3t"}
    return pipeline(library_versions.server(), sources=sources, settings=settings, clock=clock)


@pytest.fixture
async def rest(clock: ManualClock) -> AsyncIterator[httpx.AsyncClient]:
    app = HttpApp(served(clock), {}, OPEN, Pages(None, None))
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


def find_book(listed: Any) -> dict[str, Any]:
    """Return get_book from a list of tools."""
    found: dict[str, Any] = next(tool for tool in listed["tools"] if tool["name"] == "get_book")
    return found


@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_the_list_names_the_callable_versions_of_a_tool(era: Era) -> None:
    async with connect(library_versions.server(), era=era) as client:
        tools = {tool.name: tool.meta for tool in (await client.list_tools()).tools}
    assert tools["get_book"] == TODAY | SUNSET
    assert tools["list_loans"] == {"versions": ["1.0.0", "0.9.0"], "latest": "1.0.0", "deprecated": [], "sunset": {}}
    assert tools["misbehave"] is None


async def test_the_list_of_rest_has_versions_as_members_and_follows_the_date(
    rest: httpx.AsyncClient, clock: ManualClock
) -> None:
    listed = find_book((await rest.post("/mcp/tools/list")).json())
    assert {name: listed[name] for name in (*TODAY, *SUNSET)} == TODAY | SUNSET
    assert "_meta" not in listed
    clock.advance(31 * DAY_S)
    listed = find_book((await rest.post("/mcp/tools/list")).json())
    assert (listed["versions"], listed["deprecated"]) == (["1.0.0", "0.9.0"], ["0.9.0"])
    assert listed["sunset"] == {"0.9.0": "2026-03-31"}


async def test_the_list_of_rest_names_every_tool_with_its_versions_and_its_description(rest: httpx.AsyncClient) -> None:
    listed = (await rest.post("/mcp/tools/list")).json()["tools"]
    assert [tool["name"] for tool in listed] == ["list_books", "get_book", "list_loans", "misbehave"]
    assert all(tool["description"] for tool in listed)
    only = {"versions": ["1.0.0"], "latest": "1.0.0", "deprecated": [], "sunset": {}}
    assert only.items() <= listed[3].items()


@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_a_result_in_a_deprecated_version_has_a_notice_in_its_meta(era: Era, clock: ManualClock) -> None:
    async with connect(library_versions.server(), sources={"shelf": WoodenShelf("")}, clock=clock, era=era) as client:
        meta = cast("Any", {"version": "0.8.0"})
        for code in ("B7", "?"):
            received = (await client.call_tool("get_book", {"code": code}, meta=meta)).meta
            assert received is not None
            notice = {name: received[name] for name in ("deprecated_on", "sunset_on", "successor")}
            assert notice == {"deprecated_on": "2025-12-01", "sunset_on": "2026-01-31", "successor": "0.9.0"}
        fresh = (await client.call_tool("get_book", {"id": 7})).meta
        assert fresh is not None
        assert "successor" not in fresh


async def test_the_fast_path_and_the_sdk_give_the_same_versions_on_every_date() -> None:
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
    hello = {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params}
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    call = {"name": "get_book", "version": "0.9.0", "arguments": {"number": 7}}
    request = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
    for days in (0, 40, 100):
        clock = ManualClock()
        clock.advance(days * DAY_S)
        fast_path, sdk = await both(lambda clock=clock: served(clock), [line(hello), line(listing), line(request)])  # type: ignore[misc]
        assert fast_path == sdk


async def test_the_version_is_in_the_query_or_in_the_body_over_rest(rest: httpx.AsyncClient) -> None:
    by_path = await rest.post("/mcp/tools/get_book?version=0.9.0", json={"number": 7})
    body = {"name": "get_book", "version": "0.9.0", "arguments": {"number": 7}}
    by_name = await rest.post("/mcp/tools/call", json=body)
    for answer in (by_path, by_name):
        assert (answer.status_code, answer.json()["data"]) == (200, {"number": 7, "name": "get 7"})
        assert not answer.headers.keys() & {"deprecation", "sunset", "link"}


@pytest.mark.parametrize("code,status", [("B7", 200), ("?", 404)])
async def test_headers_mark_a_deprecated_version(rest: httpx.AsyncClient, code: str, status: int) -> None:
    body = {"name": "get_book", "version": "0.8.0", "arguments": {"code": code}}
    for answer in (
        await rest.post("/mcp/tools/get_book?version=0.8.0", json={"code": code}),
        await rest.post("/mcp/tools/call", json=body),
    ):
        assert answer.status_code == status
        assert answer.headers["deprecation"] == "@1764547200"
        assert answer.headers["sunset"] == "Sat, 31 Jan 2026 23:59:59 GMT"
        assert answer.headers["link"] == '</mcp/tools/get_book?version=0.9.0>; rel="successor-version"'


@pytest.mark.parametrize("query,status", [("version=0.7.0", 410), ("version=0.1.0", 404), ("version=", 404)])
async def test_an_unknown_version_has_its_own_status_over_rest(
    rest: httpx.AsyncClient, query: str, status: int
) -> None:
    answer = await rest.post(f"/mcp/tools/get_book?{query}", json={"id": 7})
    assert answer.status_code == status


@pytest.mark.parametrize("version", [None, 1, [], {}])
async def test_a_version_that_is_not_text_is_rejected_over_rest(rest: httpx.AsyncClient, version: Any) -> None:
    answer = await rest.post("/mcp/tools/call", json={"name": "get_book", "version": version, "arguments": {"id": 7}})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_PARAMETER")
