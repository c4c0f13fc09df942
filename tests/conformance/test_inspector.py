"""Prove that MCP Inspector finds nothing wrong with the schemas of any server."""

import sys
from pathlib import Path

import pytest

from tests.conformance.inspector import Inspector
from tests.contracts.reading import ROOT, contracts, mcp_tools
from tests.servers.validation.test_requests_on_stdio import SETTINGS
from tests.services.fetched import fetched
from tests.services.served import serving

pytestmark = pytest.mark.conformance

ERAS = ("legacy", "modern")
"""The Inspector's names of 2025-11-25 and 2026-07-28."""
TOKEN = f"Authorization: Bearer {SETTINGS['SWIMMY_MCP_API_KEY']}"


@pytest.fixture
def inspector(tmp_path: Path) -> Inspector:
    return Inspector(fetched("inspector"), tmp_path)


@pytest.mark.parametrize("server", sorted(contracts()))
async def test_the_inspector_finds_no_error_and_no_warning_in_schemas(server: str, inspector: Inspector) -> None:
    environment = SETTINGS | {"PYTHONPATH": str(ROOT)}
    target = ("--", sys.executable, "-m", f"generated.{server}")
    async with serving(f"generated.{server}", ROOT, env=SETTINGS) as served:
        url = ("--transport", "http", "--server-url", f"{served.url}/mcp", "--header", TOKEN)
        reports = [
            await inspector.inspect("tools/list", "--strict", "--protocol-era", era, *place, environment=environment)
            for era in ERAS
            for place in (target, url)
        ]
    for report in reports:
        assert "schemaFindings" not in report
        assert [tool["name"] for tool in report["result"]["tools"]] == [tool["name"] for tool in mcp_tools(server)]
