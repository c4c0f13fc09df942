"""A view in a host made with the official AppBridge, under the default policy of MCP Apps."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Frame, Locator, Page

from tests.services.browser import open_page
from tests.services.fetched import fetched
from toolaccord.views import CONTENT_SECURITY_POLICY, build_document

HERE = Path(__file__).parent
CONTEXT = {"theme": "light", "locale": "en-GB", "timeZone": "Europe/Berlin"}


@dataclass(frozen=True)
class Shown:
    """A view that has shaken hands with its host."""

    page: Page
    frame: Frame

    async def send(self, method: str, params: Any) -> None:
        """Send a notification with a method of AppBridge, e.g. sendToolResult."""
        await self.page.evaluate("([method, params]) => host.bridge[method](params)", [method, params])

    async def show(self, result: dict[str, Any], **arguments: Any) -> None:
        """Send the arguments and the result of a call, and wait until the view shows them."""
        await self.send("sendToolInput", {"arguments": arguments})
        await self.send("sendToolResult", result)
        await self.frame.locator(f"body[data-state={'error' if result.get('isError') else 'result'}]").wait_for()

    async def answer(self, *results: dict[str, Any]) -> None:
        """Set what the next calls of the view are answered; further ones are denied."""
        await self.page.evaluate("(results) => host.answer(results)", results)

    async def calls(self) -> list[dict[str, Any]]:
        """Return the tools that the view called, with their arguments."""
        found: list[dict[str, Any]] = await self.page.evaluate("host.calls")
        return found

    async def until(self, condition: str) -> None:
        """Wait until an expression is true in the view, whose policy forbids to evaluate texts."""
        await self.frame.evaluate(f"async () => {{ while (!({condition})) await new Promise(requestAnimationFrame) }}")

    def find(self, selector: str) -> Locator:
        """Return an element of the view."""
        return self.frame.locator(selector)

    async def texts(self, selector: str) -> list[str]:
        """Return the texts of elements, as they are shown."""
        return [text.strip() for text in await self.frame.locator(selector).all_inner_texts()]


@asynccontextmanager
async def show_view(
    browser: Browser, configuration: str, *, width: int = 768, height: int = 900, **context: Any
) -> AsyncIterator[Shown]:
    """Give a view in a host with the given context."""
    bridge, document = fetched("ext-apps"), build_document(configuration)
    headers = {"Content-Security-Policy": CONTENT_SECURITY_POLICY}
    answers: dict[str, dict[str, Any]] = {
        "https://host.test/": {"path": HERE / "host.html"},
        "https://host.test/host.js": {"path": HERE / "host.js"},
        "https://host.test/bridge.mjs": {"path": bridge, "content_type": "text/javascript"},
        "https://view.test/": {"body": document, "content_type": "text/html; charset=utf-8", "headers": headers},
    }
    viewport = {"width": width, "height": height}
    async with open_page(browser, answers.get, viewport=viewport) as page:
        await page.goto("https://host.test/")
        await page.evaluate("(context) => host.start(context)", CONTEXT | context)
        frame = page.frame(url="https://view.test/")
        assert frame is not None
        yield Shown(page, frame)
