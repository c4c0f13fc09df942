"""Prove that the official package for TypeScript and fastmcp-tasks drive tasks."""

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.tasks.compare import find_peer
from tests.contracts.reading import ROOT
from tests.services.fetched import fetched
from tests.services.served import serving

pytestmark = pytest.mark.hosts

PATIENCE_S = 60
QUESTION = "Shall 100 cents be paid?"


async def run(*command: str | Path) -> dict[str, Any]:
    """Run a client against a server of tasks; return its answers."""
    async with serving("tests.attack.tasks.server", ROOT) as served, asyncio.timeout(PATIENCE_S):
        client = await asyncio.create_subprocess_exec(
            *command, f"{served.url}/mcp", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        answers, complaints = await client.communicate()
    assert client.returncode == 0, complaints.decode()
    found: dict[str, Any] = json.loads(answers)
    return found


async def test_the_official_package_creates_answers_cancels_and_resumes_tasks() -> None:
    packages = fetched("ext-tasks")
    script = Path(__file__).with_name("ext_tasks_client.mjs")
    answers = await run(packages / "node/bin/node", script, packages)
    assert answers["counted"] == {"kind": "task", "status": "completed", "isError": False, "data": {"sum": 10}}
    assert (answers["failed"]["status"], answers["failed"]["isError"]) == ("completed", True)
    assert answers["paid"]["data"] == {"paid": True}
    assert answers["asked"] == [QUESTION]
    assert answers["cancelled"] == "cancelled"
    assert answers["resumed"] == {"sum": 15}
    assert answers["unknown"] == -32602


async def test_fastmcp_creates_polls_answers_and_cancels_tasks() -> None:
    """It needs a header more than it sends: the one that names the task."""
    try:
        python = find_peer()
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"fastmcp-tasks cannot be had here: {error}")
    answers = await run(python, Path(__file__).with_name("fastmcp_tasks_client.py"))
    assert (answers["counted"], answers["polled"]) == ({"sum": 10}, {"sum": 15})
    assert answers["failed"] is True
    assert answers["paid"] == {"paid": True}
    assert answers["asked"] == [QUESTION]
    assert answers["cancelled"] == "cancelled"
