"""Private parts of the MCP SDK, each of which the library uses in one place, exist."""

from typing import Any

import mcp_types as types
from mcp import Client
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server

from toolaccord.transports.mcp.sdk.calls import connection_of


async def test_the_sdk_still_gives_a_handler_the_connection_of_its_request() -> None:
    found = []

    async def set_level(context: Any, _params: types.SetLevelRequestParams) -> types.EmptyResult:
        found.append(connection_of(context))
        return types.EmptyResult()

    server: Server[Any] = Server("any")
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_level)
    async with Client(server, mode="legacy") as client:
        request = types.SetLevelRequest(params=types.SetLevelRequestParams(level="info"))
        for _ in range(2):
            await client.session.send_request(request, types.EmptyResult)
    first, second = found
    assert isinstance(first, Connection)
    assert first is second
    assert first.has_standalone_channel
    assert first.state == {}
