"""Every version of the generated server is called on every transport, in both eras, and answers as the contract's examples have it."""

import json
from collections.abc import AsyncIterator
from typing import Any, cast

import jsonschema_rs
import pytest
import pytest_asyncio
from openapi_spec_validator import validate
from pydantic import BaseModel

from tests.toolpact.listener import Listener, listening
from tests.toolpact.twins import both, line
from tests.versions.generated import PACKAGE, RISK, Generated
from toolpact.client.base import RemoteTool, ServerClient
from toolpact.testing import Era, ManualClock, captured_logs, connection, pipeline
from toolpact.transports.mcp import request_shapes

CONTRACT = json.loads((RISK / "contracts" / "platform" / "risk.json").read_text(encoding="utf-8"))
EXAMPLES = [
    (tool["name"], example.get("version", tool["version"]), example["arguments"], example["returns"])
    for tool in CONTRACT["tools"]
    for example in tool["examples"]
]
"""Tool, version, arguments and result."""
MODULE = f"{PACKAGE}.platform.risk"
CLIENT = {"name": "test", "version": "1"}
ENVELOPE = {
    request_shapes.PROTOCOL_VERSION: "2026-07-28",
    request_shapes.CLIENT_CAPABILITIES: {},
    request_shapes.CLIENT_INFO: CLIENT,
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def listener(risk: Generated) -> AsyncIterator[Listener]:
    """The server as a process that listens."""
    async with listening(module=MODULE, environ={"PYTHONPATH": str(risk.folder)}) as running:
        yield running


def call(number: int, name: str, version: str, arguments: Any, meta: Any) -> dict[str, Any]:
    """A call as JSON-RPC has it."""
    params = {"name": name, "version": version, "arguments": arguments} | ({"_meta": meta} if meta else {})
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_the_contract_has_an_example_of_every_version() -> None:
    said = {(name, version) for name, version, _, _ in EXAMPLES}
    for tool in CONTRACT["tools"]:
        assert {(tool["name"], older["version"]) for older in (tool, *tool["versions"])} <= said


@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_every_version_is_called_on_lines_with_the_front_and_on_the_sdk_alone(risk: Generated, era: str) -> None:
    meta = ENVELOPE if era == "stateless" else None
    calls = [call(number, *example[:3], meta) for number, example in enumerate(EXAMPLES)]
    hello = [{"jsonrpc": "2.0", "id": -1, "method": "initialize", "params": HELLO}] if era == "handshake" else []
    with_front, alone = await both(lambda: pipeline(risk.server), [line(each) for each in (*hello, *calls)])
    assert with_front == alone
    results = {answer["id"]: answer["result"] for answer in alone if answer["id"] >= 0}
    assert [results[number]["structuredContent"] for number in range(len(EXAMPLES))] == [each[3] for each in EXAMPLES]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name,version,arguments,returns", EXAMPLES)
async def test_every_version_is_called_over_http(
    listener: Listener, name: str, version: str, arguments: Any, returns: Any
) -> None:
    body = {"name": name, "version": version, "arguments": arguments}
    by_path = await listener.client.post(f"/mcp/tools/{name}?version={version}", json=arguments)
    by_name = await listener.client.post("/mcp/tools/call", json=body)
    assert [by_path.json(), by_name.json()] == [returns, returns]
    streamed = await listener.client.post("/mcp", json=call(1, name, version, arguments, None), headers=ACCEPT)
    assert json.loads(streamed.text.partition("data: ")[2])["result"]["structuredContent"] == returns
    stated = ACCEPT | {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name}
    plain = await listener.client.post("/mcp", json=call(1, name, version, arguments, ENVELOPE), headers=stated)
    assert plain.json()["result"]["structuredContent"] == returns


@pytest.mark.asyncio(loop_scope="module")
async def test_openapi_has_every_version_and_what_is_said_of_those_that_are_not_there(listener: Listener) -> None:
    document = (await listener.client.get("/openapi.json")).json()
    validate(document)

    def admits(schema: Any, value: Any) -> bool:
        return jsonschema_rs.Draft202012Validator(schema | {"components": document["components"]}).is_valid(value)

    for name, version, arguments, returns in EXAMPLES:
        operation, by_name = (document["paths"][f"/mcp/tools/{each}"]["post"] for each in (name, "call"))
        assert version in operation["parameters"][-1]["schema"]["enum"]
        assert admits(operation["requestBody"]["content"]["application/json"]["schema"], arguments)
        assert admits(operation["responses"]["200"]["content"]["application/json"]["schema"], returns)
        body = {"name": name, "version": version, "arguments": arguments}
        assert admits(by_name["requestBody"]["content"]["application/json"]["schema"], body)
        refused = await listener.client.post(f"/mcp/tools/{name}?version=0.0.1", json=arguments)
        assert admits(operation["responses"]["404"]["content"]["application/json"]["schema"], refused.json())
    listed = (await listener.client.post("/mcp/tools/list")).json()
    listing = document["paths"]["/mcp/tools/list"]["post"]["responses"]["200"]
    assert admits(listing["content"]["application/json"]["schema"], listed)
    check = document["paths"]["/mcp/tools/risk.position_limits_check"]["post"]["responses"]
    assert {"404", "410"} <= set(check)
    assert {"Deprecation", "Sunset", "Link"} <= set(check["200"]["headers"])


class CheckRequest(BaseModel):
    """Arguments of risk.position_limits_check 1.1.0."""

    strategy: str
    instrument: str
    qty: float
    side: str


class CheckResult(BaseModel):
    """Result of risk.position_limits_check 1.1.0."""

    allowed: bool
    reason: str | None = None
    max_qty: float | None = None


CHECK = RemoteTool(
    name="risk.position_limits_check",
    request=CheckRequest,
    result=CheckResult,
    errors=(),
    timeout_s=1.0,
    nullable_arguments=False,
    version="1.1.0",
)
"""The tool as a client has it that was generated before 2.0.0."""
LARGE = CheckRequest(strategy="momentum_v2", instrument="EURUSD", qty=2_000_000, side="buy")


def client_class() -> type[ServerClient]:
    """The client that was generated with the server."""
    module = __import__(f"{MODULE}.client", fromlist=["RiskClient"])
    return cast("type[ServerClient]", module.RiskClient)


async def test_a_client_of_an_older_version_is_served_by_a_process_of_the_newest(risk: Generated) -> None:
    async with client_class().stdio(env={"PYTHONPATH": str(risk.folder)}) as client:
        result = (await client.call(CHECK, LARGE)).result
    assert result == CheckResult(allowed=False, reason="The limit is 1000000 lots", max_qty=1_000_000)


@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_a_client_says_once_that_its_version_is_to_be_left(risk: Generated, era: Era) -> None:
    clock = ManualClock(now=ManualClock().now().replace(year=2100, month=3))
    with captured_logs() as logs:
        async with client_class()(connection(risk.server, clock=clock, era=era)) as client:
            for _ in range(2):
                await client.call(CHECK, LARGE)
    said = [record.getMessage() for record in logs if record.name == "toolpact.client.base"]
    told = "risk.position_limits_check 1.1.0 of risk is deprecated and answered until 2100-06-01"
    assert said == [f"{told}; a client of 2.0.0 takes its place"]


def test_a_generated_client_asks_for_the_version_that_it_was_generated_from(risk: Generated) -> None:
    declared = __import__(f"{MODULE}.client", fromlist=["RISK_POSITION_LIMITS_CHECK"])
    assert declared.RISK_POSITION_LIMITS_CHECK.version == risk.tool("risk.position_limits_check").version == "2.0.0"
