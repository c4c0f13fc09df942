"""Pictures of pages, from fixed data: `python -m tests.docs.pictures` draws them.

It needs Chromium.
"""

from __future__ import annotations

import asyncio
import base64
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeAlias

from playwright.async_api import Browser, Page, Route, ViewportSize, expect

from tests.services.browser import open_browser
from tests.services.served import serving
from tests.toolaccord.views.samples import PANELS, PARAMETERS, configuration, result, sample
from tests.toolaccord.views.shown import show_view

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"
Theme: TypeAlias = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
LARGEST = 60_000
"""Bytes of a picture at most."""
_WIDTH, _COLUMN = 1012, 480
_ROWS = 6
_TRADE = {"Time", "Symbol", "Side", "Pnl"}
_FIELDS = ("symbol", "strategy", "fast", "fee")
_DURATION = re.compile(r"^[\d.]+ m?s$")
"""The only text that differs between runs."""
_SITE_PAGE = "servers/tradestream/strategy/get_top_strategies.html"
_SYMBOL = "BTC/USD"
_PAPER = {"light": "#f4f5f7", "dark": "#0d1117"}
_CARDS = {"light": ("#fff", "#d0d7de", "#57606a"), "dark": ("#161b22", "#30363d", "#9198a1")}
_COLUMNS = (
    {"figures": "run_backtest", "candles": "get_candles", "lines": "run_backtest"},
    {"form": "run_backtest", "drawdown": "run_backtest", "bars": "get_index_weights", "table": "list_trades"},
)
"""The views of each column of the picture, with the tools above them."""
_COLOURS = 96
_READ_PIXELS = """
async ([source, colours]) => {
  const picture = new Image();
  picture.src = source;
  await picture.decode();
  const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  context.drawImage(picture, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, picture.width, picture.height).data.buffer);
  const counts = new Map();
  for (const pixel of pixels) {
    counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  }
  const all = [...counts].sort(([a, m], [b, n]) => n - m || a - b).map(([pixel]) => pixel);
  const palette = all.slice(0, colours).map((each) => [each & 255, (each >> 8) & 255, (each >> 16) & 255]);
  const nearest = new Map(all.map((each) => {
    const far = palette.map(([red, green, blue]) =>
      ((each & 255) - red) ** 2 + (((each >> 8) & 255) - green) ** 2 + (((each >> 16) & 255) - blue) ** 2);
    return [each, far.indexOf(Math.min(...far))];
  }));
  const indexes = Uint8Array.from(pixels, (each) => nearest.get(each));
  const text = [];
  for (let at = 0; at < indexes.length; at += 32768) {
    text.push(String.fromCharCode(...indexes.subarray(at, at + 32768)));
  }
  return { width: picture.width, height: picture.height, palette, indexes: btoa(text.join("")) };
}
"""
"""Gives each pixel of a picture the nearest of its most frequent colours."""


async def draw_views(browser: Browser, theme: Theme) -> bytes:
    """Return a picture of a view of each kind in a host."""
    columns = [[await _draw_card(browser, theme, *each) for each in column.items()] for column in _COLUMNS]
    card, line, text = _CARDS[theme]
    style = (
        f"body {{ margin: 0; padding: 16px 16px 0; background: {_PAPER[theme]}; display: flex; gap: 16px;"
        f" font: 12px monospace; color: {text} }}"
        f"figure {{ margin: 0 0 16px; background: {card}; border: 1px solid {line}; border-radius: 8px;"
        " overflow: hidden }"
        f"figcaption {{ padding: 6px 12px; border-bottom: 1px solid {line} }} img {{ display: block; width: 100% }}"
    )
    page = await _open(browser, theme, 100)
    body = "".join(f"<div>{''.join(column)}</div>" for column in columns)
    await page.set_content(f"<!doctype html><style>{style}</style>{body}")
    return await _encode(page, await page.screenshot(full_page=True))


async def _draw_card(browser: Browser, theme: Theme, name: str, tool: str) -> str:
    """Return a view as a host shows it, in HTML."""
    panel: dict[str, Any] = dict(PANELS[name])
    if name == "table":
        panel["columns"] = [each for each in panel["columns"] if each["label"] in _TRADE]
    parameters: dict[str, Any] = dict(PARAMETERS)
    parameters["properties"] = {field: parameters["properties"][field] for field in _FIELDS}
    view = configuration(panel, parameters=parameters)
    async with show_view(browser, view, width=_COLUMN, theme=theme) as shown:
        given = sample(_ROWS)
        for trade in given["structuredContent"]["data"]["trades"]:
            trade["symbol"] = trade["symbol"].rpartition("-")[0]
        await shown.show(given, symbol="SBER", strategy="momentum", fast=20)
        await shown.page.wait_for_timeout(300)
        drawn = await shown.page.locator("iframe").screenshot()
    picture = base64.b64encode(drawn).decode()
    return f'<figure><figcaption>{tool}</figcaption><img src="data:image/png;base64,{picture}"></figure>'


async def draw_console(browser: Browser, theme: Theme) -> bytes:
    """Return a picture of the console of market-data-mcp, whose tool gives fixed candles."""
    env = {"INFLUXDB_URL": "http://127.0.0.1:1", "INFLUXDB_TOKEN": "none"}
    async with serving("generated.tradestream.market_data", ROOT, env=env) as served:
        page = await _open(browser, theme, 1080)
        await page.route("**/mcp", _answer)
        await page.goto(f"{served.url}/#/tools/get_candles")
        await page.get_by_label("Symbol").fill(_SYMBOL)
        await page.get_by_role("button", name="Call").click()
        await expect(page.frame_locator("iframe").locator("canvas").first).to_be_visible(timeout=30_000)
        await page.wait_for_timeout(500)
        await page.get_by_text(_DURATION).evaluate("(each) => { each.textContent = '12.4 ms' }")
        return await _encode(page, await page.screenshot(animations="disabled"))


async def _answer(route: Route) -> None:
    """Answer a call with fixed candles; the server answers all else."""
    request = route.request.post_data_json or {}
    if request.get("method") != "tools/call":
        await route.continue_()
        return
    items = sample()["structuredContent"]["data"]["items"]
    pagination = {"total": len(items), "limit": 120, "offset": 0, "has_more": False}
    answer = result(items=items, pagination=pagination) | {"resultType": "complete"}
    answer["structuredContent"]["_metadata"] = {"latency_ms": 12, "cached": False, "source": "influxdb"}
    await route.fulfill(json={"jsonrpc": "2.0", "id": request["id"], "result": answer})


async def draw_site(browser: Browser, theme: Theme) -> bytes:
    """Return a picture of a tool's page in the reference site of this project."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "toolaccord_codegen", "site", "--output", folder]
        await asyncio.to_thread(subprocess.run, command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        page = await _open(browser, theme, 1130)
        await page.goto(f"{Path(folder).as_uri()}/{_SITE_PAGE}")
        await page.wait_for_timeout(500)
        return await _encode(page, await page.screenshot(animations="disabled"))


async def _open(browser: Browser, theme: Theme, height: int) -> Page:
    """Return a page as wide as the pictures, which somebody in UTC reads."""
    size = ViewportSize(width=_WIDTH, height=height)
    return await browser.new_page(viewport=size, color_scheme=theme, locale="en-GB", timezone_id="UTC")


async def _encode(page: Page, picture: bytes) -> bytes:
    """Close a page, and return its picture with few colours."""
    source = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    await page.goto("about:blank")
    read = await page.evaluate(_READ_PIXELS, [source, _COLOURS])
    await page.close()
    width, indexes = read["width"], base64.b64decode(read["indexes"])
    lines = b"".join(b"\0" + indexes[at : at + width] for at in range(0, len(indexes), width))
    parts = {
        b"IHDR": struct.pack(">IIBBBBB", width, read["height"], 8, 3, 0, 0, 0),
        b"PLTE": bytes(part for colour in read["palette"] for part in colour),
        b"IDAT": zlib.compress(lines, 9),
        b"IEND": b"",
    }
    chunks = (
        struct.pack(">I", len(part)) + name + part + struct.pack(">I", zlib.crc32(name + part))
        for name, part in parts.items()
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


PICTURES = {"views": draw_views, "console": draw_console, "site": draw_site}


async def draw_all(names: list[str]) -> None:
    """Draw pictures into their folder, in both themes."""
    FOLDER.mkdir(exist_ok=True)
    async with open_browser() as browser:
        for name in names or PICTURES:
            for theme in THEMES:
                drawn = await PICTURES[name](browser, theme)
                path = FOLDER / f"{name}-{theme}.png"
                path.write_bytes(drawn)
                sys.stdout.write(f"wrote   {path.relative_to(ROOT)} ({len(drawn):,} bytes)\n")


if __name__ == "__main__":
    asyncio.run(draw_all(sys.argv[1:]))
