"""Prove that every tool of every server rejects a version that it does not have."""

from typing import Any, cast

import pytest

from tests.contracts.reading import CONTRACTS, contracts, load, tool, tools
from tests.servers.contracts import Observations, answers
from tests.servers.harness import Recorder, error_code, error_details, first_result_example, parse_body
from toolaccord.testing import connect

DIALECTS = load(CONTRACTS / "dialects.json")
SERVERS = {name: server for server, name in tools()}
"""The server of each tool."""


def unknown_version(server: str) -> str:
    """Return the code of a server's dialect for an unknown version."""
    return str(DIALECTS[contracts()[server]["dialect"]]["occasions"]["version"])


@pytest.mark.usefixtures("without_logs")
@pytest.mark.parametrize(
    "tool", [pytest.param(name, marks=answers(name, unknown_version(server))) for name, server in SERVERS.items()]
)
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
    assert error_details(parse_body(rejected)) == {"versions": available_versions(server, tool)}


def valid_arguments(server: str, name: str) -> dict[str, Any]:
    """Return valid arguments of a tool."""
    arguments: dict[str, Any] = first_result_example(tool(server, name))["arguments"]
    return arguments


def current_version(server: str, name: str) -> str:
    """Return the version of a tool."""
    return str(tool(server, name)["version"])


def available_versions(server: str, name: str) -> list[str]:
    """Return the versions of a tool, the newest first."""
    return [current_version(server, name), *(each["version"] for each in tool(server, name).get("versions", []))]


def request_version(version: str) -> Any:
    """Return the `_meta` of a call that requests a version."""
    return cast("Any", {"version": version})
