"""The form of published schemas, for hosts that cannot read `additionalProperties: false`."""

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from tests.toolaccord.demo.library import Librarian, server
from tests.toolaccord.listener import listening
from tests.toolaccord.process import started
from tests.toolaccord.transports.http.secured_server import ACCEPT
from toolaccord.transports.mcp.tool_list import list_rest_tools, list_tools

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
CLOSED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "additionalProperties": {"const": False, "description": "a member that is called so"},
        "by_key": {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": False}},
        "list": {"type": "array", "items": {"anyOf": [{"type": "object", "additionalProperties": False}]}},
        "open": {"type": "object", "additionalProperties": True, "default": {"additionalProperties": False}},
    },
    "required": ["list"],
    "additionalProperties": False,
}
OPEN: dict[str, Any] = {
    "type": "object",
    "properties": {
        "additionalProperties": {"const": False, "description": "a member that is called so"},
        "by_key": {"type": "object", "additionalProperties": {"type": "object"}},
        "list": {"type": "array", "items": {"anyOf": [{"type": "object"}]}},
        "open": {"type": "object", "default": {"additionalProperties": False}},
    },
    "required": ["list"],
}


@pytest.mark.parametrize("listed", [list_tools, list_rest_tools])
def test_an_open_schema_lacks_nothing_but_the_keyword_at_every_depth(listed: Any) -> None:
    declared = server(Librarian())
    declared = replace(declared, tools=(replace(declared.tools[0], parameters=CLOSED),))
    (closed,) = listed(declared, date(2026, 1, 1))
    (opened,) = listed(replace(declared, publishes_open_schemas=True), date(2026, 1, 1))
    assert closed["inputSchema"] == CLOSED
    assert opened == closed | {"inputSchema": OPEN}
    assert '"additionalProperties": false' in json.dumps(opened["outputSchema"]), "results are for clients, not models"


@pytest.mark.parametrize("reference", [(), ("--reference",)])
async def test_a_server_with_open_schemas_lists_them_and_rejects_unknown_arguments_all_the_same(
    reference: tuple[str, ...],
) -> None:
    async with listening(*reference, environ={"MCP_PUBLISHED_SCHEMAS": "open"}) as running:
        text = (await running.client.post("/mcp", json=LIST, headers=ACCEPT)).text
        tools = json.loads(text.partition("data: ")[2])["result"]["tools"]
        assert [tool["name"] for tool in tools if "additionalProperties" in json.dumps(tool["inputSchema"])] == []
        response = await running.client.post("/mcp/tools/get_book", json={"id": 7, "colour": "red"})
        assert (response.status_code, response.json()["error"]["message"]) == (400, "/colour is not known.")


async def test_another_form_is_named_at_the_start() -> None:
    async with started(environ={"MCP_PUBLISHED_SCHEMAS": "loose"}) as process:
        assert await process.exit_code() == 2
        assert b"MCP_PUBLISHED_SCHEMAS" in process.logged
