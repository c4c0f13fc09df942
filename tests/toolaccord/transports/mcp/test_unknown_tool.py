"""The error to a call of an unknown tool, on the fast path and by the SDK."""

from dataclasses import replace
from typing import Any

import pytest

from tests.toolaccord.demo import library
from tests.toolaccord.demo.library import Librarian, WoodenShelf
from tests.toolaccord.transports.mcp.test_fast_path import CLIENT
from tests.toolaccord.twins import both, line
from toolaccord.call.pipeline import Pipeline
from toolaccord.testing import pipeline

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def serve(*, with_failure: bool) -> Pipeline:
    server = library.server(Librarian())
    failure = {"error": {"code": {"$": "code"}, "message": {"$": "message"}, "at": {"$": "corr_id"}}}
    dialect = replace(server.dialect, failure=failure, failure_in_protocol_errors=with_failure)
    return pipeline(
        replace(server, dialect=dialect), sources={"shelf": WoodenShelf("")}, settings={"shelf_url": "s3cr3t"}
    )


def conversation(*, stateless: bool) -> list[bytes]:
    """Return the lines of a client that calls an unknown tool."""
    params = {"name": "burn_book", "arguments": {}, "_meta": {"corr_id": "abc"} | (META if stateless else {})}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
    return [line(call)] if stateless else [line(hello), line(call)]


@pytest.mark.parametrize("stateless", [False, True], ids=["handshake", "stateless"])
@pytest.mark.parametrize("with_failure", [False, True], ids=["without failure", "with failure"])
async def test_the_error_has_the_failure_as_data_if_the_dialect_wants_that(
    *, stateless: bool, with_failure: bool
) -> None:
    fast_path, sdk = await both(lambda: serve(with_failure=with_failure), conversation(stateless=stateless))
    assert fast_path == sdk
    (error,) = (answer["error"] for answer in fast_path if answer["id"] == 1)
    failure = {"error": {"code": "NOT_FOUND", "message": "This server has no such tool.", "at": "abc"}}
    expected: dict[str, Any] = {"code": -32602, "message": "Unknown tool: burn_book"}
    assert error == expected | ({"data": failure} if with_failure else {})
