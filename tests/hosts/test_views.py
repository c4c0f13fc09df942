"""Prove that MCP Inspector shows the view of a tool, in both eras of the protocol."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.contracts.reading import ROOT
from tests.services.fetched import fetched
from tests.services.served import free_port, serving

pytestmark = [pytest.mark.hosts, pytest.mark.asyncio(loop_scope="session")]

PATIENCE_S, PATIENCE_MS = 60, 60_000
ERAS = {"legacy": "2025-11-25", "modern": "2026-07-28"}
"""Revisions of the protocol by the names that the Inspector gives their eras."""


@asynccontextmanager
async def inspecting(url: str, era: str, home: Path) -> AsyncIterator[str]:
    """Run the Inspector's pages for the server at a URL; give their address."""
    packages, port = fetched("inspector"), free_port()
    own = {
        "HOME": str(home),
        "CLIENT_PORT": str(port),
        "MCP_SANDBOX_PORT": str(free_port()),
        "MCP_AUTO_OPEN_ENABLED": "false",
        "MCP_INSPECTOR_SECRET_STORE": "memory",
        "DANGEROUSLY_OMIT_AUTH": "true",
    }
    process = await asyncio.create_subprocess_exec(
        *[str(packages / each) for each in ("node/bin/node", ".bin/mcp-inspector")],
        *["--web", "--transport", "http", "--server-url", url, "--protocol-era", era],
        env=os.environ | own,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout
    try:
        async with asyncio.timeout(PATIENCE_S):
            await process.stdout.readuntil(b"up and running")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.communicate()


async def open_view(page: Page, address: str, revision: str) -> None:
    """Connect, and open the view of get_candles with its arguments."""
    await page.goto(address)
    await page.get_by_label(re.compile("^Connect or disconnect")).check(force=True)
    await expect(page.get_by_text(f"MCP {revision}", exact=True)).to_be_visible(timeout=PATIENCE_MS)
    await page.get_by_text("Apps", exact=True).first.click()
    await page.get_by_text("Candles", exact=True).first.click()
    await page.get_by_role("textbox", name="symbol").fill("BTC/USD")
    await page.get_by_role("button", name="Open App").click()


@pytest.mark.parametrize("era", ERAS)
async def test_the_inspector_shows_candles(
    era: str, browser: Browser, settings: Mapping[str, str], tmp_path: Path
) -> None:
    async with (
        serving("generated.tradestream.market_data", ROOT, env=settings) as served,
        inspecting(f"{served.url}/mcp", era, tmp_path) as address,
    ):
        page = await browser.new_page(viewport={"width": 1440, "height": 1000})
        await open_view(page, address, ERAS[era])
        view = page.frame_locator("iframe").frame_locator("iframe")
        await expect(view.locator("canvas")).to_be_visible(timeout=PATIENCE_MS)
        await expect(view.get_by_text(re.compile("^100 candles, "))).to_be_visible(timeout=PATIENCE_MS)
        await expect(view.get_by_role("table").first).to_contain_text("Volume", timeout=PATIENCE_MS)
        await page.close()
