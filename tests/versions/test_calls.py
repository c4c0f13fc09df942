"""Call every version of a generated server on every transport, in both protocol eras.

The answers are those of the contract's examples.
"""

import json
from collections.abc import AsyncIterator
from typing import Any, cast

import jsonschema_rs
import pytest
import pytest_asyncio
from openapi_spec_validator import validate
from pydantic import BaseModel

from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.twins import both, line
from tests.versions.risk_server import PACKAGE, RISK, GeneratedServer
from toolaccord.client.base import ServerClient
from toolaccord.client.declarations import RemoteTool
from toolaccord.testing import Era, ManualClock, capture_logs, connection, pipeline
from toolaccord.transports.mcp import request_shapes

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
HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def listener(risk: GeneratedServer) -> AsyncIterator[Listener]:
    """Run the server as a process that listens on HTTP."""
    async with listening(module=MODULE, environ={"PYTHONPATH": str(risk.folder)}) as running:
        yield running


def call(number: int, name: str, version: str, arguments: Any, meta: Any) -> dict[str, Any]:
    """Return a JSON-RPC call."""
    params = {"name": name, "version": version, "arguments": arguments} | ({"_meta": meta} if meta else {})
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_the_contract_has_an_example_of_every_version() -> None:
    documented = {(name, version) for name, version, _, _ in EXAMPLES}
    for tool in CONTRACT["tools"]:
        assert {(tool["name"], older_versions["version"]) for older_versions in (tool, *tool["versions"])} <= documented


@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_every_version_answers_on_stdio_with_the_fast_path_and_with_the_sdk_alone(
    risk: GeneratedServer, era: str
) -> None:
    meta = ENVELOPE if era == "stateless" else None
    calls = [call(number, *example[:3], meta) for number, example in enumerate(EXAMPLES)]
    handshake = (
        [{"jsonrpc": "2.0", "id": -1, "method": "initialize", "params": HANDSHAKE}] if era == "handshake" else []
    )
    with_fast_path, sdk_only = await both(lambda: pipeline(risk.server), [line(each) for each in (*handshake, *calls)])
    assert with_fast_path == sdk_only
    results = {answer["id"]: answer["result"] for answer in sdk_only if answer["id"] >= 0}
    assert [results[number]["structuredContent"] for number in range(len(EXAMPLES))] == [each[3] for each in EXAMPLES]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name,version,arguments,returns", EXAMPLES)
async def test_every_version_answers_over_http(
    listener: Listener, name: str, version: str, arguments: Any, returns: Any
) -> None:
    body = {"name": name, "version": version, "arguments": arguments}
    by_path = await listener.client.post(f"/mcp/tools/{name}?version={version}", json=arguments)
    by_name = await listener.client.post("/mcp/tools/call", json=body)
    assert [by_path.json(), by_name.json()] == [returns, returns]
    streamed = await listener.client.post("/mcp", json=call(1, name, version, arguments, None), headers=ACCEPT)
    assert json.loads(streamed.text.partition("data: ")[2])["result"]["structuredContent"] == returns
    headers = ACCEPT | {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name}
    stateless = await listener.client.post("/mcp", json=call(1, name, version, arguments, ENVELOPE), headers=headers)
    assert stateless.json()["result"]["structuredContent"] == returns


@pytest.mark.asyncio(loop_scope="module")
async def test_openapi_documents_every_version_and_the_errors_for_others(listener: Listener) -> None:
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
        compile_problems = await listener.client.post(f"/mcp/tools/{name}?version=0.0.1", json=arguments)
        missing = operation["responses"]["404"]
        if "$ref" in missing:
            missing = document["components"]["responses"][missing["$ref"].rpartition("/")[2]]
        assert admits(missing["content"]["application/json"]["schema"], compile_problems.json())
    choices = (await listener.client.post("/mcp/tools/list")).json()
    listing = document["paths"]["/mcp/tools/list"]["post"]["responses"]["200"]
    assert admits(listing["content"]["application/json"]["schema"], choices)
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
    """Return the client that was generated with the server."""
    module = __import__(f"{MODULE}.client", fromlist=["RiskClient"])
    return cast("type[ServerClient]", module.RiskClient)


async def test_a_client_of_an_older_version_is_answered_by_the_newest_server(risk: GeneratedServer) -> None:
    async with client_class().stdio(env={"PYTHONPATH": str(risk.folder)}) as client:
        result = (await client.call(CHECK, LARGE)).result
    assert result == CheckResult(allowed=False, reason="The limit is 1000000 lots", max_qty=1_000_000)


@pytest.mark.parametrize("era", ["handshake", "stateless"])
async def test_a_client_logs_once_that_its_version_is_deprecated(risk: GeneratedServer, era: Era) -> None:
    clock = ManualClock(now=ManualClock().now().replace(year=2100, month=3))
    with capture_logs() as logs:
        async with client_class()(connection(risk.server, clock=clock, era=era)) as client:
            for _ in range(2):
                await client.call(CHECK, LARGE)
    documented = [record.getMessage() for record in logs if record.name == "toolaccord.client.answers"]
    deprecation = "risk.position_limits_check 1.1.0 of risk is deprecated and answered until 2100-06-01"
    assert documented == [f"{deprecation}; generate the client again from 2.0.0"]


def test_a_generated_client_requests_the_version_it_was_generated_from(risk: GeneratedServer) -> None:
    declared = __import__(f"{MODULE}.client", fromlist=["RISK_POSITION_LIMITS_CHECK"])
    assert declared.RISK_POSITION_LIMITS_CHECK.version == risk.tool("risk.position_limits_check").version == "2.0.0"
