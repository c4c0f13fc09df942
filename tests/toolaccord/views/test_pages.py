"""Pages of views in a host: the states of a call, the theme, the locale and the size."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from playwright.async_api import Browser, expect

from tests.services.browser import find_barriers, open_page
from tests.toolaccord.views.samples import PANELS, STACK, configuration, result, sample
from tests.toolaccord.views.shown import Shown, show_view
from toolaccord.views import CONTENT_SECURITY_POLICY, build_document
from toolaccord.views.document import read_file

pytestmark = pytest.mark.asyncio(loop_scope="session")

EMPTY = result(items=[], days=[], weights=[], trades=[], summary={}, pagination={"total": 0})
EMPTY_RESULTS: list[dict[str, Any]] = [EMPTY, {"content": [], "structuredContent": {}}, {"content": []}]


async def background(view: Shown) -> str:
    """Return the colour of the page."""
    found: str = await view.frame.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    return found


async def test_a_page_says_what_became_of_the_call(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["figures"])) as view:
        assert await view.texts(".status") == ["Loading …"]
        await view.show({"isError": True, "content": [{"type": "text", "text": "Unknown symbol ABC"}]})
        assert await view.texts("[role=alert]") == ["Unknown symbol ABC"]
        await view.show({"isError": True, "content": []})
        assert await view.texts("[role=alert]") == ["The tool answered an error"]
        await view.show(sample())
        assert not await view.find(".status").is_visible()
        await view.send("sendToolCancelled", {"reason": "the user stopped it"})
        await view.find("body[data-state=cancelled]").wait_for()
        assert await view.texts(".status") == ["The call was cancelled: the user stopped it"]


async def test_a_result_without_items_says_so_in_each_panel(browser: Browser) -> None:
    panels = [PANELS[name] for name in ("candles", "lines", "bars", "table")]
    async with show_view(browser, configuration(*panels)) as view:
        for empty in EMPTY_RESULTS:
            await view.show(sample())
            assert await view.find(".empty:visible").count() == 0
            await view.show(empty)
            assert await view.texts(".empty:visible") == ["No data"] * 4
            assert await view.find("canvas:visible, table:visible").count() == 0


async def test_a_page_takes_theme_and_variables_of_its_host(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["lines"]), theme="dark") as view:
        await view.show(sample())
        assert await background(view) == "rgb(21, 23, 28)"
        before = await view.find("canvas").screenshot()
        variables = {"--color-background-primary": "rgb(255, 250, 240)", "--font-sans": "serif"}
        await view.send("setHostContext", {"theme": "light", "styles": {"variables": variables}})
        await view.find(":root[data-theme=light]").wait_for()
        assert await background(view) == "rgb(255, 250, 240)"
        assert await view.find("canvas").screenshot() != before


async def test_without_a_theme_of_the_host_that_of_the_machine_holds(browser: Browser) -> None:
    schemes: list[tuple[Literal["dark", "light"], str]] = [("dark", "rgb(21, 23, 28)"), ("light", "rgb(255, 255, 255)")]
    for scheme, colour in schemes:
        async with show_view(browser, configuration(PANELS["figures"]), theme=None) as view:
            await view.page.emulate_media(color_scheme=scheme)
            assert await background(view) == colour


async def test_a_chart_is_drawn_anew_where_the_machine_turns_dark(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["lines"]), theme=None) as view:
        await view.page.emulate_media(color_scheme="light")
        await view.show(sample())
        ink = "document.querySelector('.key').style.color"
        before = await view.frame.evaluate(ink)
        await view.page.emulate_media(color_scheme="dark")
        await view.until(f"{ink} !== '{before}'")


async def test_numbers_and_times_are_written_in_the_hosts_locale_and_time_zone(browser: Browser) -> None:
    view_of_both = configuration(PANELS["table"], PANELS["lines"])
    async with show_view(browser, view_of_both, locale="de-DE", timeZone="America/New_York") as view:
        await view.show(sample())
        first = await view.texts(".grid tbody tr:first-child td")
        assert first[0] == "02.03.2025, 19:00"
        assert first[4] == "476,58"
        assert (await view.texts(".legend .at")) == ["07.11.2025"], "a day is the same day everywhere"
        await view.send("setHostContext", {"locale": "en-GB", "timeZone": "UTC"})
        await view.find("td:text-is('3 Mar 2025, 00:00')").wait_for()
        await view.send("setHostContext", {"locale": "no such locale", "timeZone": "Mars/Base"})
        await view.find("td:text-is('476.58')").wait_for()


async def test_a_frame_is_as_high_as_its_page_at_any_width(browser: Browser) -> None:
    async with show_view(browser, configuration(*STACK), width=1440) as view:
        await view.show(sample())
        for width in (1440, 768, 360):
            await view.page.set_viewport_size({"width": width, "height": 700})
            await view.until(f"innerWidth === {width}")
            await view.until("innerHeight === Math.ceil(document.body.getBoundingClientRect().height)")
            assert await view.frame.evaluate("document.documentElement.scrollWidth") == width
            await view.until(
                "[...document.querySelectorAll('.plot')].every((plot) =>"
                " Math.abs(plot.querySelector('.uplot').clientWidth - plot.clientWidth) <= 1)"
            )


async def test_axe_finds_nothing_serious_in_any_state_and_theme(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["candles"], *STACK)) as view:
        data = sample(6)["structuredContent"]["data"]
        await view.show(result(**data | {"items": data["items"][:6], "days": data["days"][:6]}), symbol="sber")
        for summary in await view.frame.locator("summary").all():
            await summary.click()
        await view.find(".send button").click()
        await view.find("[aria-invalid=true]").first.wait_for()
        assert await find_barriers(view.frame) == []
        await view.send("setHostContext", {"theme": "dark"})
        await view.find(":root[data-theme=dark]").wait_for()
        assert await find_barriers(view.frame) == []
        await view.show({"isError": True, "content": [{"type": "text", "text": "Unknown symbol"}]})
        assert await find_barriers(view.frame) == []
        await view.show(EMPTY)
        assert await find_barriers(view.frame) == []


HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    "\u202egnp.exe\u202d",
    "A" * 5000,
    "ж" * 300,
    "{{constructor}}",
    "javascript:alert(1)",
    "\u0000\ud83d\ude00\u200d",
]


async def test_hostile_texts_are_shown_as_texts_and_break_no_page(browser: Browser) -> None:
    panels = [{**panel, "title": HOSTILE[0]} for panel in (*STACK, PANELS["candles"])]
    async with show_view(browser, configuration(*panels, title=HOSTILE[1]), width=360) as view:
        trades = [{"symbol": text, "side": text, "time": text, "price": text} for text in HOSTILE]
        await view.show(
            result(
                trades=trades,
                weights=[{"ticker": text, "weight": text} for text in HOSTILE],
                days=[{"date": text, "equity": text} for text in HOSTILE],
                items=[{"timestamp": text, "open": text, "high": 1, "low": None, "close": 2} for text in HOSTILE],
                summary=dict.fromkeys(("sharpe", "total", "trades", "best", "open", "since"), HOSTILE[2]),
            )
        )
        assert await view.find("img, script[src]").count() == 0
        assert (await view.texts(".grid tbody tr:first-child td:nth-child(2)"))[0] == HOSTILE[0]
        assert await view.frame.evaluate("document.documentElement.scrollWidth") == 360
        assert await view.find("a").count() == 0, "an address of a script is no link"


VALUES: list[Any] = [None, "NaN", "Infinity", "", [], {}, True, -1e308, 1e308, 5e-324, 2**53 + 1, "12.50"]


async def test_any_value_of_json_may_stand_in_the_place_of_a_number(browser: Browser) -> None:
    async with show_view(browser, configuration(*STACK, PANELS["candles"])) as view:
        rows = sample()["structuredContent"]["data"]
        for value in VALUES:
            rows["items"][3] |= dict.fromkeys(("open", "high", "low", "close", "volume"), value)
            rows["days"][3] |= dict.fromkeys(("equity", "drawdown", "low", "high"), value)
            rows["weights"][0] |= {"weight": value}
            rows["trades"][0] |= {"price": value}
            await view.show(result(**rows))
            assert await view.find("canvas:visible").count() == 3


async def test_messages_that_are_not_the_hosts_change_nothing(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["figures"])) as view:
        forged = {"jsonrpc": "2.0", "method": "ui/notifications/tool-result", "params": sample()}
        await view.frame.evaluate("(message) => window.postMessage(message, '*')", forged)
        await view.frame.evaluate("new Promise((done) => setTimeout(done))")
        assert await view.texts(".status") == ["Loading …"]


async def test_a_view_answers_ping_and_farewell_and_refuses_what_it_does_not_know(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["figures"])) as view:
        assert await view.page.evaluate("host.bridge.teardownResource({})") == {}
        assert await view.page.evaluate("host.ask('ping')") == {"result": {}}
        assert (await view.page.evaluate("host.ask('constructor')"))["error"]["code"] == -32601


def console() -> dict[str, dict[str, Any]]:
    """Return the answers of a page that mounts views with the bridge, under a strict policy."""
    page = """<!doctype html><html lang="en"><title>Console</title><link rel="icon" href="data:,"><main></main>
    <script type="module" src="/console.js"></script>"""
    script = """import { mountView } from "/bridge.js";
    window.mount = (mounting) => { window.view = mountView(document.querySelector("main"), mounting); };"""
    policy = {
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; frame-src 'self'"
    }
    own = {"Content-Security-Policy": CONTENT_SECURITY_POLICY}
    javascript = "text/javascript"
    return {
        "https://console.test/": {"body": page, "content_type": "text/html", "headers": policy},
        "https://console.test/console.js": {"body": script, "content_type": javascript},
        "https://console.test/bridge.js": {"body": read_file("bridge.js"), "content_type": javascript},
        "https://console.test/frame.html": {
            "body": read_file("frame.html"),
            "content_type": "text/html",
            "headers": own,
        },
    }


async def test_the_bridge_of_console_and_site_shows_a_view_under_its_own_policy(browser: Browser) -> None:
    document = build_document(configuration(PANELS["table"]))
    async with open_page(browser, console().get) as tab:
        await tab.goto("https://console.test/")
        await tab.wait_for_function("typeof mount === 'function'")
        await tab.evaluate(
            """([html, answer]) => {
                mount({ title: "Trades", frame: "/frame.html", html, context: { theme: "dark" },
                        callTool: async (name, input) => { window.called = { name, input }; return answer; } });
                view.sendInput({ limit: 40, offset: 0 });
            }""",
            [document, sample(start=40)],
        )
        await tab.evaluate("(result) => view.sendResult(result)", sample())
        inside = tab.frame_locator("iframe[title=Trades]")
        await inside.locator("td:text-is('SBER-3')").wait_for()
        await inside.get_by_role("button", name="Next").click()
        await inside.locator("nav :text-is('41–80 of 95')").wait_for()
        assert await tab.evaluate("called") == {"name": "run_backtest", "input": {"limit": 40, "offset": 40}}
        await tab.evaluate("view.setContext({ theme: 'light' })")
        await inside.locator(":root[data-theme=light]").wait_for()
        frame = await tab.locator("iframe").bounding_box()
        assert frame is not None
        assert frame["height"] > 300
        await tab.evaluate("view.close()")
        assert await tab.locator("iframe").count() == 0


async def test_the_bridge_offers_no_links_where_nobody_opens_them(browser: Browser) -> None:
    figures = {"kind": "figures", "figures": [{"pointer": "/url", "label": "Filing", "format": "text"}]}
    async with open_page(browser, console().get) as tab:
        await tab.goto("https://console.test/")
        await tab.wait_for_function("typeof mount === 'function'")
        for opener, said in (
            ("undefined", "This host does not do that"),
            ("(url) => { throw new Error(`No ${url}`); }", "No https://example.com/"),
            ("(url) => { document.title = url; }", ""),
        ):
            mounting = f"{{ title: 'Filing', frame: '/frame.html', html, openLink: {opener} }}"
            await tab.evaluate(f"(html) => mount({mounting})", build_document(configuration(figures)))
            await tab.evaluate("(result) => view.sendResult(result)", result(url="https://example.com/"))
            inside = tab.frame_locator("iframe")
            await inside.locator("a").click()
            if said:
                await inside.locator(f".note:text-is('{said}')").wait_for()
            else:
                await expect(tab).to_have_title("https://example.com/")
            await tab.evaluate("view.close()")
