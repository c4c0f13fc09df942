"""Every tool of every server says so when it is asked for a version that it does not have."""

from typing import Any, cast

import pytest

from tests.contracts.reading import tool, tools
from tests.servers.answers import body, code
from tests.servers.manifest import each_tool
from tests.servers.recorder import Recorder, example
from tests.servers.seen import Seen
from toolpact.testing import connect

ROOMS = {name: room for room, name in tools()}


@pytest.mark.usefixtures("quiet")
@each_tool(ROOMS, "UNKNOWN_VERSION")
async def test_an_unknown_version_is_refused_and_the_tools_own_is_served(tool: str, seen: Seen) -> None:
    room = ROOMS[tool]
    recorder = Recorder(room)
    async with connect(recorder.server()) as client:
        refused = await client.call_tool(tool, arguments(room, tool), meta=asking("0.9.0"))
        assert recorder.seen == []
        served = await client.call_tool(tool, arguments(room, tool), meta=asking(version(room, tool)))
    assert refused.is_error
    assert not served.is_error
    seen.answers.add((tool, str(code(body(refused)))))
    assert body(refused)["error"]["details"] == {"versions": [version(room, tool)]}


def arguments(room: str, name: str) -> dict[str, Any]:
    """Arguments that the tool takes."""
    taken: dict[str, Any] = example(tool(room, name))["arguments"]
    return taken


def version(room: str, name: str) -> str:
    """The version that the tool has."""
    return str(tool(room, name)["version"])


def asking(wanted: str) -> Any:
    """What a call says about itself that asks for a version."""
    return cast("Any", {"version": wanted})
