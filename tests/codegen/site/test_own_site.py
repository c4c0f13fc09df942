"""The site of this repository is whole: links lead somewhere, pages load nothing foreign."""

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from justhtml import JustHTML

from tests.codegen.site.conftest import ROOT, build

TOOL = "servers/tradestream/market_data/get_candles.html"
LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}
"""Attributes for which a browser loads something, with their elements."""


class Page(HTMLParser):
    """One page: what it leads to, what it loads, what others can lead to in it, and its text."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.anchors: list[str] = []
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.text = ""
        self.feed(content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the addresses and the id of an element."""
        for name, value in attrs:
            if name == "id":
                self.anchors.append(value or "")
            if name in {"href", "src"}:
                self.links.append(value or "")
            if (tag, name) in LOADED:
                self.loaded.append(value or "")

    def handle_data(self, data: str) -> None:
        """Note text, with one space for many."""
        self.text = f"{self.text} {' '.join(data.split())}".strip()


@pytest.fixture(scope="module")
def site(site_folder: Path) -> dict[str, bytes]:
    """The files of the site, by their path."""
    found = (path for path in site_folder.rglob("*") if path.is_file())
    return {path.relative_to(site_folder).as_posix(): path.read_bytes() for path in found}


@pytest.fixture(scope="module")
def pages(site: dict[str, bytes]) -> dict[str, Page]:
    """The pages by their path, without those of views, which have tests of their own."""
    return {path: Page(site[path]) for path in site if path.endswith(".html") and not path.startswith("views/")}


def lost(pages: dict[str, Page], site: dict[str, bytes], page: str, links: Iterable[str]) -> Iterator[str]:
    """Yield links of a page that lead to no file of the site, or to no anchor in it."""
    for link in links:
        parts = urlsplit(link)
        if not parts.scheme and not parts.netloc:
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path)))
            target = path if parts.path else page
            anchors = pages[target].anchors if parts.fragment and target in pages else ["", parts.fragment]
            if target not in site or not {parts.fragment, unquote(parts.fragment)} & {"", *anchors}:
                yield f"{page}: {link}"


def test_pages_are_valid_html(site: dict[str, bytes], pages: dict[str, Page]) -> None:
    for path in pages:
        assert JustHTML(site[path].decode(), collect_errors=True, sanitize=False).errors == [], path


def test_every_link_and_anchor_leads_somewhere(site: dict[str, bytes], pages: dict[str, Page]) -> None:
    assert [each for path, page in pages.items() for each in lost(pages, site, path, page.links)] == []
    assert [path for path, page in pages.items() if len({*page.anchors}) < len(page.anchors)] == []


def test_pages_load_nothing_from_another_machine(site: dict[str, bytes], pages: dict[str, Page]) -> None:
    loaded = {value for page in pages.values() for value in page.loaded}
    assert [each for each in loaded if urlsplit(each).scheme not in {"", "data"} or each.startswith(("/", "\\"))] == []
    assert re.findall(rb"url\(|@import|https?://", site["assets/site.css"] + site["assets/site.js"]) == []


def test_equal_contracts_make_equal_bytes(
    site: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert build(tmp_path / "elsewhere" / "again") == site


def test_the_search_leads_from_a_code_and_a_field_to_a_tool(site: dict[str, bytes], pages: dict[str, Page]) -> None:
    text = site["assets/search-index.js"].decode()
    entries = json.loads(text.removeprefix("globalThis.siteIndex = ").rstrip().removesuffix(";"))
    urls = {(title, kind): url for title, kind, url, *_ in entries if TOOL in url}
    assert urls["INVALID_TIMEFRAME", "error"] == f"{TOOL}#error-INVALID_TIMEFRAME"
    assert urls["limit", "argument"] == f"{TOOL}#arguments/limit"
    assert urls["close", "field"] == f"{TOOL}#result/items/*/close"
    assert [*lost(pages, site, "index.html", (url for _, _, url, *_ in entries))] == []


def test_a_page_of_a_tool_says_everything_that_its_contract_says(pages: dict[str, Page]) -> None:
    for expected in (
        "Fetch OHLCV candle data for a symbol",
        "Number of candles to return per page, 1 to 1000; 100 if absent",
        "1 to 1,000",
        "A result is kept for 1 minute. force_refresh = true asks for a fresh one.",
        "A call may take 10 seconds; 95 of 100 shall take at most 200 ms.",
        "Specified timeframe is not supported When /timeframe is invalid.",
    ):
        assert expected in pages[TOOL].text
    older = pages["servers/platform/risk/risk.position_limits_check.html"].text
    assert "/qty is now /quantity" in older
    assert "/force_refresh is new; older callers stand for false" in older
