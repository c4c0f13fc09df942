"""Debian's Chromium, and axe-core: `.ci/services` fetches both."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, Frame, Page, Route, async_playwright, expect

from tests.services.fetched import fetched

REPORT_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile, lineNumber }) =>
  console.error(`policy: ${violatedDirective} forbids ${blockedURI} in ${sourceFile}:${lineNumber}`));
"""
RUN_AXE = "() => axe.run(document, {resultTypes: ['violations']})"
Answer = Callable[[str], dict[str, Any] | None]
"""Takes an address, and gives the arguments of `Route.fulfill`.

It gives None where the test has no page.
"""

expect.set_options(timeout=30_000)  # a busy machine is slow


@asynccontextmanager
async def open_browser() -> AsyncIterator[Browser]:
    """Start Chromium; skip the test with a reason if it cannot be fetched."""
    program = fetched("chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def open_page(browser: Browser, answer: Answer | None = None, **options: Any) -> AsyncIterator[Page]:
    """Give a page without cookies or cache; the options are those of `Browser.new_context`.

    The test fails at the end if the page reported an error, broke its policy, or asked another machine for anything.
    """
    complaints: list[str] = []
    context = await browser.new_context(**options)
    try:
        await context.add_init_script(REPORT_VIOLATIONS)
        await context.route("**/*", lambda route: _route(route, answer, complaints))
        page = await context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        yield page
    finally:
        await context.close()
    assert not complaints, "\n".join(complaints)


async def find_barriers(frame: Frame | Page) -> list[str]:
    """Return what axe-core finds in a frame and calls serious or critical, with the elements."""
    await frame.evaluate(_axe())
    found = await frame.evaluate(RUN_AXE)
    return [
        f"{each['id']}: {node['html']}: {node['failureSummary']}"
        for each in found["violations"]
        if each["impact"] in {"serious", "critical"}
        for node in each["nodes"]
    ]


async def _route(route: Route, answer: Answer | None, complaints: list[str]) -> None:
    url = urlsplit(route.request.url)
    known = answer(route.request.url) if answer else None
    if known is not None:
        await route.fulfill(**known)
    elif url.hostname == "127.0.0.1" or url.scheme in {"data", "file"}:
        await route.continue_()
    else:
        complaints.append(f"a request to {route.request.url}")
        await route.abort()


@cache
def _axe() -> str:
    return fetched("axe").read_text(encoding="utf-8")
