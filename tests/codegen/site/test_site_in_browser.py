"""Readers of the site search it, look at views, and use it on a telephone and in the dark."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, expect

from tests.services.browser import Answer, find_barriers, open_page

pytestmark = pytest.mark.asyncio(loop_scope="session")
TOOL = "servers/tradestream/market_data/get_candles.html"
BASE = "https://pages.test/some/folder/"
PAGES = ("index.html", "servers/moex/iss.html", "docs/installation.html", TOOL)
IS_TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def answer(site_folder: Path) -> Answer:
    """The site on a web server, below a path."""
    return lambda url: (
        {"path": site_folder / urlsplit(url).path.removeprefix("/some/folder/")} if url.startswith(BASE) else None
    )


async def test_a_search_leads_by_keys_from_an_error_code_to_a_tool(browser: Browser, site_folder: Path) -> None:
    async with open_page(browser) as page:
        await page.goto((site_folder / "docs/operations.html").as_uri())
        await page.keyboard.press("/")
        await page.keyboard.type("invalid_timef get_cand")
        options = page.get_by_role("option")
        await expect(options.first).to_contain_text("INVALID_TIMEFRAME")
        await expect(options.first).to_have_attribute("aria-selected", "true")
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"**/{TOOL}#error-INVALID_TIMEFRAME")
        await expect(page.locator("tr:target")).to_contain_text("Specified timeframe is not supported")


async def test_the_best_entries_of_a_search_come_first(browser: Browser, site_folder: Path) -> None:
    async with open_page(browser) as page:
        await page.goto((site_folder / "index.html").as_uri())
        search, options = page.get_by_role("combobox"), page.get_by_role("option")
        for words, first in (
            ("cand symbol", "get_candles"),
            ("SYMBOL_NOT", "SYMBOL_NOT_FOUND"),
            ("kubern", "Kubernetes"),
            ("volume cand", "volume"),
        ):
            await search.fill(words)
            await expect(options.first).to_contain_text(first)
        await search.press("ArrowDown")
        await expect(options.nth(1)).to_have_attribute("aria-selected", "true")
        await search.press("Escape")
        await expect(page.get_by_role("listbox")).to_be_hidden()
        await search.fill("no such words")
        await expect(options).to_have_text(["Nothing found"])
        await expect(options).not_to_have_attribute("aria-selected", "true")
        await expect(search).not_to_have_attribute("aria-activedescendant", re.compile(""))


async def test_a_search_without_its_index_says_so_and_tries_again(browser: Browser, site_folder: Path) -> None:
    async with open_page(browser) as page:
        await page.goto((site_folder / "index.html").as_uri())
        await page.evaluate("() => { document.head.append = (script) => script.dispatchEvent(new Event('error')); }")
        search, options = page.get_by_role("combobox"), page.get_by_role("option")
        await search.fill("kubern")
        await expect(options).to_have_text(["The search index is missing."])
        await page.evaluate("delete document.head.append")
        await search.fill("kubernetes")
        await expect(options.first).to_contain_text("Kubernetes")


async def test_a_list_stays_closed_for_a_reader_who_has_left_the_search(browser: Browser, site_folder: Path) -> None:
    async with open_page(browser) as page:
        await page.goto((site_folder / "index.html").as_uri())
        await page.evaluate("search.value = 'kubern'; search.focus(); search.blur()")
        await page.wait_for_function("globalThis.siteIndex !== undefined")
        await page.evaluate("new Promise((done) => setTimeout(done))")
        await expect(page.get_by_role("listbox")).to_be_hidden()


async def test_a_browser_that_forbids_to_copy_selects_the_text(browser: Browser, answer: Answer) -> None:
    async with open_page(browser, answer) as page:
        await page.goto(f"{BASE}docs/installation.html")
        await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        block = page.locator(".block").first
        await block.locator("button").click()
        await expect(block.locator("button")).to_have_text("Press Ctrl+C")
        assert (
            await page.evaluate("getSelection().toString().trim()") == (await block.locator("pre").inner_text()).strip()
        )


async def test_a_view_shows_the_example_and_follows_the_colours(browser: Browser, site_folder: Path) -> None:
    async with open_page(browser, color_scheme="light") as page:
        await page.goto((site_folder / TOOL).as_uri())
        view = page.frame_locator(".view iframe")
        await expect(view.locator("body")).to_contain_text("2 candles")
        await expect(view.locator("canvas").first).to_be_visible()
        await expect(view.locator(":root")).to_have_attribute("data-theme", "light")
        await page.get_by_role("button", name="Light or dark").click()
        await expect(view.locator(":root")).to_have_attribute("data-theme", "dark")
        await page.reload()
        await expect(view.locator(":root")).to_have_attribute("data-theme", "dark")


@pytest.mark.parametrize("width, scheme", [(360, "dark"), (1440, "light")])
async def test_pages_have_no_barriers_and_fit(browser: Browser, answer: Answer, width: int, scheme: str) -> None:
    async with open_page(browser, answer, viewport={"width": width, "height": 800}, color_scheme=scheme) as page:
        for path in PAGES:
            await page.goto(f"{BASE}{path}")
            assert not await page.evaluate(IS_TOO_WIDE), path
            assert [each for frame in page.frames for each in await find_barriers(frame)] == [], path
        await open_entries(page, is_narrow=width == 360)


async def open_entries(page: Page, *, is_narrow: bool) -> None:
    """Open the entries at the side, which a narrow page hides."""
    entries = page.get_by_role("navigation", name="Pages")
    if is_narrow:
        await expect(entries).to_be_hidden()
        await page.get_by_role("button", name="Contents").click()
    await expect(entries.get_by_text("get_volatility")).to_be_visible()
