"""The console's modules in a browser, without a server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Route, expect

from tests.services.browser import open_page

pytestmark = pytest.mark.asyncio(loop_scope="session")

LIBRARY = Path(__file__).parents[3] / "toolaccord"
ORIGIN = "http://127.0.0.1"
TYPES = {".css": "text/css", ".html": "text/html", ".js": "text/javascript"}
BLANK = '<!doctype html><title>Parts</title><link rel="icon" href="data:,"><main id="main"></main><p id="live"></p>'
TOOL = {
    "name": "wait",
    "description": "Waits. " * 60,
    "annotations": {"readOnlyHint": True},
    "inputSchema": {"type": "object", "properties": {"how": {"type": "string"}}},
}


def _answer(address: str) -> dict[str, Any] | None:
    """Give a file of the console or of views."""
    path = urlsplit(address).path
    if path == "/blank":
        return {"body": BLANK, "content_type": "text/html"}
    file = LIBRARY / ("console/console.html" if path == "/" else path[1:])
    return {"body": file.read_text(encoding="utf-8"), "content_type": TYPES[file.suffix]} if file.is_file() else None


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser) -> AsyncIterator[Page]:
    """A page without content, which may load modules of the console."""
    async with open_page(browser, _answer) as page:
        await page.goto(f"{ORIGIN}/blank")
        yield page


class Double:
    """A server whose answers a test gives: by method, each once, the last one forever."""

    def __init__(self, **answers: Any) -> None:
        self.asked: list[str] = []
        self.held: list[Route] = []
        self.answers = {
            "server/discover": {"capabilities": {}, "serverInfo": {"name": "double"}},
            "tools/list": {"tools": [TOOL]},
        } | answers

    async def answer(self, route: Route) -> None:
        message = json.loads(route.request.post_data or "")
        method = message["method"]
        self.asked.append(method)
        if method not in self.answers:
            self.held.append(route)
            return
        await self.give(route, self.answers[method])

    async def give(self, route: Route, result: Any) -> None:
        message = json.loads(route.request.post_data or "")
        await route.fulfill(json={"jsonrpc": "2.0", "id": message["id"], "result": result})

    async def open(self, page: Page, fragment: str) -> None:
        """Open the console, whose server this is."""
        await page.route("**/mcp", self.answer)
        await page.route("**/openapi.json", lambda route: route.fulfill(json={"paths": {}}))
        await page.goto(f"{ORIGIN}/{fragment}")


@pytest.mark.parametrize("fragment", ["#/tools/wait", "#/constructor"])
async def test_attributes_are_those_of_html_and_no_page_is_named_by_a_prototype(page: Page, fragment: str) -> None:
    await Double().open(page, fragment)
    await expect(page.locator("h1")).to_be_visible()
    assert await page.evaluate("document.querySelectorAll('[classname]').length") == 0
    if fragment == "#/tools/wait":
        await expect(page.locator("button.primary")).to_have_text("Call")
        await expect(page.locator("details.card")).to_have_count(1)


async def test_the_field_for_a_token_is_spelled_and_completed_by_nobody(page: Page) -> None:
    await page.evaluate("""async () => {
      const { askForToken } = await import("/console/parts/token_dialog.js");
      askForToken("", false).catch(() => {});
    }""")
    field = page.get_by_label("Token", exact=True)
    for name, value in {"spellcheck": "false", "autocomplete": "off", "autocapitalize": "off"}.items():
        await expect(field).to_have_attribute(name, value)


async def test_tables_show_only_members_that_a_row_has(page: Page) -> None:
    await page.evaluate("""async () => {
      const { showValue } = await import("/console/parts/value_tables.js");
      document.body.append(showValue([{ constructor: 1, length: 2 }, {}, "text"]));
    }""")
    await expect(page.locator("td")).to_have_text(["1", "2", "", "", "", ""])
