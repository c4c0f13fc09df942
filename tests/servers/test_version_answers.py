"""Prove that every tool of every server rejects a version that it does not have."""

from typing import Any, cast

import pytest

from tests.contracts.reading import tool, tools
from tests.servers.contracts import Observations, parametrize_tools
from tests.servers.harness import Recorder, error_code, first_result_example, parse_body
from toolpact.testing import connect

SERVERS = {name: server for server, name in tools()}
"""The server of each tool."""


@pytest.mark.usefixtures("without_logs")
@parametrize_tools(SERVERS, "UNKNOWN_VERSION")
async def test_an_unknown_version_is_rejected_and_the_tools_own_is_served(
    tool: str, observations: Observations
) -> None:
    server = SERVERS[tool]
    recorder = Recorder(server)
    async with connect(recorder.server()) as client:
        rejected = await client.call_tool(tool, valid_arguments(server, tool), meta=request_version("0.9.0"))
        assert recorder.requests == []
        served = await client.call_tool(
            tool, valid_arguments(server, tool), meta=request_version(current_version(server, tool))
        )
    assert rejected.is_error
    assert not served.is_error
    observations.answers.add((tool, str(error_code(parse_body(rejected)))))
    assert parse_body(rejected)["error"]["details"] == {"versions": [current_version(server, tool)]}


def valid_arguments(server: str, name: str) -> dict[str, Any]:
    """Return valid arguments of a tool."""
    arguments: dict[str, Any] = first_result_example(tool(server, name))["arguments"]
    return arguments


def current_version(server: str, name: str) -> str:
    """Return the version of a tool."""
    return str(tool(server, name)["version"])


def request_version(version: str) -> Any:
    """Return the `_meta` of a call that requests a version."""
    return cast("Any", {"version": version})
