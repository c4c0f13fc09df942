"""Prove that the SDKs for TypeScript and Python use resources and prompts."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import PromptReference

from tests.contracts.reading import ROOT
from tests.hosts.project import SCRIPTS
from tests.services.fetched import fetched
from tests.services.served import serving

pytestmark = pytest.mark.hosts

PATIENCE_S = 60
COMMAND = str(SCRIPTS / "strategy-mcp")
URI = "contract://strategy-mcp/get_top_strategies"
PROMPT = "analyze-symbol"
ARGUMENTS = {"symbol": "ETH/USD", "strategies": "3"}
ARGUMENT = {"name": "symbol", "value": "ETH"}
ERAS = ("2025-11-25", "2026-07-28")
CLIENTS = [(1, ERAS[0]), *((2, era) for era in ERAS)]
"""The major versions of the TypeScript SDK with the revisions that they speak."""


@asynccontextmanager
async def running(transport: str, settings: Mapping[str, str]) -> AsyncIterator[str | None]:
    """Serve strategy-mcp over HTTP; give its URL, or None for a client on stdio."""
    if transport == "stdio":
        yield None
        return
    async with serving("generated.tradestream.strategy", ROOT, env=settings) as served:
        yield f"{served.url}/mcp"


def check_answers(answers: dict[str, Any]) -> None:
    """Compare what a client received with the contract and the sample data."""
    assert URI in answers["resources"]
    (contents,) = answers["contents"]
    assert json.loads(contents)["name"] == "get_top_strategies"
    assert answers["prompts"] == [PROMPT]
    (message,) = answers["messages"]
    assert "Call get_top_strategies for ETH/USD with limit 3." in message
    assert answers["completions"] == ["ETH/USD"]


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("sdk, revision", CLIENTS)
async def test_the_typescript_sdk_uses_a_resource_and_a_prompt(
    sdk: int, revision: str, transport: str, settings: Mapping[str, str]
) -> None:
    packages = fetched("typescript")
    async with running(transport, settings) as url, asyncio.timeout(PATIENCE_S):
        request = {
            "sdk": sdk, "revision": revision, "url": url, "command": COMMAND,
            "uri": URI, "prompt": PROMPT, "arguments": ARGUMENTS, "argument": ARGUMENT,
        }  # fmt: skip
        run = await asyncio.create_subprocess_exec(
            *[str(packages / "node/bin/node"), str(Path(__file__).with_name("sdk_client.mjs"))],
            *[str(packages), json.dumps(request)],
            env=os.environ | settings,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        answers, complaints = await run.communicate()
    assert run.returncode == 0, complaints.decode()
    check_answers(json.loads(answers))


@pytest.mark.parametrize("sdk", [1, 2])
async def test_the_typescript_sdk_gets_each_report_of_progress_although_it_drops_late_ones(sdk: int) -> None:
    packages = fetched("typescript")
    counter = [sys.executable, "-m", "tests.toolaccord.demo.counter"]
    run = await asyncio.create_subprocess_exec(
        *[str(packages / "node/bin/node"), str(Path(__file__).with_name("sdk_progress.mjs"))],
        *[str(packages), json.dumps({"sdk": sdk, "to": 3, "command": counter})],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    answers, complaints = await asyncio.wait_for(run.communicate(), PATIENCE_S)
    assert run.returncode == 0, complaints.decode()
    reports = json.loads(answers)
    assert reports["received"] + reports["late"] == [1, 2, 3]  # late ones came before the result, in the same read


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("revision", ERAS)
async def test_the_python_sdk_uses_a_resource_and_a_prompt(
    revision: str, transport: str, settings: Mapping[str, str]
) -> None:
    mode = "legacy" if revision == ERAS[0] else revision
    async with running(transport, settings) as url, asyncio.timeout(PATIENCE_S):
        target = url or StdioServerParameters(command=COMMAND, env=dict(settings))
        async with Client(target, mode=mode) as client:
            reference = PromptReference(type="ref/prompt", name=PROMPT)
            read = await client.read_resource(URI)
            written = await client.get_prompt(PROMPT, ARGUMENTS)
            answers = {
                "resources": [each.uri for each in (await client.list_resources()).resources],
                "contents": [each.model_dump()["text"] for each in read.contents],
                "prompts": [each.name for each in (await client.list_prompts()).prompts],
                "messages": [each.content.model_dump()["text"] for each in written.messages],
                "completions": (await client.complete(reference, ARGUMENT)).completion.values,
            }
    check_answers(answers)
