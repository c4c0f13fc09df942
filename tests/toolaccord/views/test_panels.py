"""Panels of views: what readers see, sort, page through, point at and send."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Browser

from tests.toolaccord.views.samples import PANELS, STACK, configuration, result, sample
from tests.toolaccord.views.shown import Shown, show_view

pytestmark = pytest.mark.asyncio(loop_scope="session")

RED_AND_GREEN = """(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let [red, green] = [0, 0];
  for (let i = 0; i < data.length; i += 4) {
    red += Number(data[i] === 198 && data[i + 1] === 40);
    green += Number(data[i] === 11 && data[i + 1] === 122);
  }
  return { red, green };
}"""


def rising(closes: list[float]) -> dict[str, Any]:
    """Return a result with a candle for each price, each of which opens at 100."""
    days = (f"2025-03-{day:02}T00:00:00Z" for day in range(1, 32))
    items = [
        {"timestamp": day, "open": 100, "high": max(close, 100) + 1, "low": min(close, 100) - 1, "close": close}
        for day, close in zip(days, closes, strict=False)
    ]
    return result(items=items)


async def column(view: Shown, place: int) -> list[str]:
    """Return the texts of a column of the table."""
    return await view.texts(f".grid tbody td:nth-child({place})")


async def test_a_rising_candle_is_hollow_and_a_falling_one_filled(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["candles"])) as view:
        await view.show(rising([90] * 20))
        falling = await view.find("canvas").evaluate(RED_AND_GREEN)
        await view.show(rising([110] * 20))
        climbing = await view.find("canvas").evaluate(RED_AND_GREEN)
        assert falling["green"] == climbing["red"] == 0
        assert falling["red"] > 3 * climbing["green"] > 0


async def test_a_chart_says_in_words_and_in_a_table_what_it_draws(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["candles"], PANELS["lines"])) as view:
        await view.show(sample())
        candles, lines = await view.texts(".summary")
        assert candles == (
            "120 candles, 3 Mar 2025, 01:00 to 8 Mar 2025, 00:00: close from 64,060.61 to 64,431.40 USD, "
            "between 59,897.35 and 65,875.66."
        )
        assert lines.startswith(
            "250 points, 3 Mar 2025 to 7 Nov 2025: Equity (USD) from 10,095.79 to 13,109.57, between"
        )
        plot = view.find(".candles .plot")
        described = await plot.get_attribute("aria-describedby")
        assert await view.texts(f"#{described}") == [candles]
        assert await view.find(".candles td").count() == 0, "a table that nobody asked for costs nothing"
        await view.find(".candles summary").click()
        await view.find(".candles td").first.wait_for()
        assert (await view.texts(".candles tbody tr:first-child td"))[:2] == ["3 Mar 2025, 01:00", "64,000.00"]
        assert await view.find(".candles tbody tr").count() == 100


async def test_arrow_keys_read_a_chart_point_by_point(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["candles"])) as view:
        await view.show(sample())
        await view.find(".plot").focus()
        for key, time in (
            ("Home", "3 Mar 2025, 01:00"),
            ("ArrowRight", "3 Mar 2025, 02:00"),
            ("ArrowLeft", "3 Mar 2025, 01:00"),
            ("ArrowLeft", "3 Mar 2025, 01:00"),
            ("PageDown", "3 Mar 2025, 21:00"),
            ("End", "8 Mar 2025, 00:00"),
        ):
            await view.page.keyboard.press(key)
            await view.find(f".legend .at:text-is('{time}')").wait_for()
        assert await view.find(".legend").get_attribute("aria-live") == "polite"


NUMBERED = {**PANELS["lines"], "x": {"pointer": "/days/*/n", "label": "N", "format": "integer"}, "bands": []}


async def test_the_first_arrow_key_reads_the_first_point_of_curves(browser: Browser) -> None:
    async with show_view(browser, configuration(NUMBERED)) as view:
        await view.show(result(days=[{"n": 1000 * n, "equity": n} for n in range(1, 9)]))
        await view.find(".plot").focus()
        for at in ("1,000", "2,000"):
            await view.page.keyboard.press("ArrowRight")
            await view.find(f".legend .at:text-is('{at}')").wait_for()


async def test_charts_of_rows_that_come_newest_first_run_from_left_to_right(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["candles"], PANELS["lines"], NUMBERED)) as view:
        data = sample()["structuredContent"]["data"]
        days = [{**day, "n": n} for n, day in enumerate(data["days"])]
        pictures = []
        for rows in ({"items": data["items"], "days": days}, {"items": data["items"][::-1], "days": days[::-1]}):
            await view.show(result(**rows))
            charts = [await canvas.screenshot() for canvas in await view.find("canvas").all()]
            pictures.append((await view.texts(".summary"), await view.texts(".legend"), charts))
        assert pictures[0] == pictures[1]


async def test_a_reader_enlarges_a_part_of_a_chart_and_comes_back(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["candles"])) as view:
        await view.show(sample())
        whole = await view.find("canvas").screenshot()
        box = await view.find(".u-over").bounding_box()
        assert box is not None
        mouse, middle = view.page.mouse, box["y"] + box["height"] / 2
        await mouse.move(box["x"] + box["width"] * 0.4, middle)
        await mouse.down()
        await mouse.move(box["x"] + box["width"] * 0.6, middle, steps=4)
        await mouse.up()
        await view.find(".reset").wait_for()
        await mouse.move(0, 0)
        assert await view.find("canvas").screenshot() != whole
        await view.find(".reset").click()
        await view.find(".reset").wait_for(state="hidden")
        await view.find("h2").hover()
        assert await view.find("canvas").screenshot() == whole


async def test_the_curves_of_a_band_share_a_colour_and_gaps_stay_gaps(browser: Browser) -> None:
    numbers = {**PANELS["lines"], "x": {"pointer": "/days/*/n", "label": "N", "format": "integer"}}
    async with show_view(browser, configuration(numbers)) as view:
        days = [{"n": 1000 * n, "equity": None if n == 3 else n, "low": n - 1, "high": n + 1} for n in range(9)]
        await view.show(result(days=days))
        colours = [await key.evaluate("(key) => key.style.color") for key in await view.frame.locator(".key").all()]
        assert colours[1] == colours[2] != colours[0]
        await view.find(".plot").focus()
        await view.page.keyboard.press("Home")
        for _ in range(3):
            await view.page.keyboard.press("ArrowRight")
        await view.find(".legend .at:text-is('3,000')").wait_for()
        assert await view.texts(".legend b + span") == ["–", "2", "4"]


async def test_bars_are_as_long_as_their_values_and_negative_ones_go_left(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["bars"])) as view:
        await view.show(sample())
        fills = "(fills) => fills.map(({ style }) => [parseFloat(style.left), parseFloat(style.width)])"
        spans = await view.frame.locator("tr:has-text('LKOH') .fill, tr:has-text('SBER') .fill").evaluate_all(fills)
        weights, losses = spans[::2], spans[1::2]
        assert weights == [[0, 100], [0, pytest.approx(100 * 13.52 / 14.89, abs=0.01)]]
        zero = pytest.approx(100 * 120.5 / 450.6, abs=0.01)
        assert losses[0] == [0, zero]
        assert losses[1][0] == zero
        assert await view.texts("tr:has-text('GMKN') .value") == ["5.50", "–"]
        assert await view.find("tr:has-text('GMKN') .fill").count() == 1


async def test_many_bars_wait_for_a_reader_who_wants_them(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["bars"])) as view:
        await view.show(result(weights=[{"ticker": f"T{n}", "weight": n} for n in range(300)]))
        assert await view.find("tbody tr").count() == 50
        await view.find("button:text-is('Show 250 more')").click()
        assert await view.find("tbody tr").count() == 300
        assert not await view.find(".bars > button").is_visible()


async def test_a_table_is_sorted_by_the_keyboard_and_says_so(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["table"])) as view:
        await view.show(sample(12))
        await view.find("th button:text-is('Quantity')").focus()
        for direction, first in (("ascending", "0"), ("descending", "11"), ("ascending", "0")):
            await view.page.keyboard.press("Enter")
            assert await view.find("th[aria-sort]").get_attribute("aria-sort") == direction
            assert (await column(view, 4))[0] == first
        await view.find("th button:text-is('Symbol')").focus()
        await view.page.keyboard.press("Space")
        assert await view.find("th[aria-sort]").count() == 1
        symbols = await column(view, 2)
        assert symbols == sorted(symbols, key=lambda text: (text.rsplit("-", 1)[0], int(text.rsplit("-", 1)[1])))


async def test_rows_without_a_value_come_last_in_either_direction(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["table"])) as view:
        await view.show(result(trades=[{"price": price} for price in (3, None, 1, 2.5, None)]))
        for rows in (["1.0", "2.5", "3.0", "–", "–"], ["3.0", "2.5", "1.0", "–", "–"]):
            await view.find("th button:has-text('Price')").click()
            assert await column(view, 5) == rows


async def test_texts_of_numbers_and_moments_are_sorted_by_what_they_mean(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["table"])) as view:
        prices = ("10.5", "n/a", "9.5", "-1")
        times = ("2025-03-03T01:00:00+03:00", "2025-03-02T23:00:00Z", "soon", "2025-03-03T00:30:00+02:00")
        await view.show(result(trades=[{"price": a, "time": b} for a, b in zip(prices, times, strict=True)]))
        for rows in (["-1.0", "9.5", "10.5", "n/a"], ["10.5", "9.5", "-1.0", "n/a"]):
            await view.find("th button:has-text('Price')").click()
            assert await column(view, 5) == rows
        await view.find("th button:has-text('Time')").click()
        assert await column(view, 5) == ["10.5", "-1.0", "n/a", "9.5"]


async def test_an_answer_that_comes_after_a_later_call_changes_nothing(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["form"], PANELS["table"])) as view:
        await view.show(sample(), symbol="SBER", strategy="momentum", limit=40)
        await view.page.evaluate("host.hold()")
        await view.find("nav button").last.click()
        await view.find("nav[aria-busy]").wait_for()
        await view.find("nav button").last.press("Enter")
        await view.find(".send button").click()
        await view.page.wait_for_function("host.held.length === 2")
        await view.page.evaluate("(result) => host.held[1](result)", sample(3))
        await view.find("nav :text-is('1–3 of 95')").wait_for()
        await view.page.evaluate("(result) => host.held[0](result)", sample(start=40))
        await view.find("nav:not([aria-busy])").wait_for()
        assert await view.texts("nav [role=status]") == ["1–3 of 95"]
        assert len(await view.calls()) == 2, "a pager that waits asks for nothing more"


async def test_other_pages_come_through_the_host_with_the_arguments_of_the_call(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["table"])) as view:
        await view.show(sample(), symbol="SBER", limit=40)
        position, following, previous = (
            view.find("nav [role=status]"),
            view.find("nav button").last,
            view.find("nav button").first,
        )
        assert await position.inner_text() == "1–40 of 95"
        assert await previous.is_disabled()
        await view.answer(sample(start=40), sample(15, 80))
        await following.click()
        await view.find("nav :text-is('41–80 of 95')").wait_for()
        assert (await column(view, 4))[0] == "40"
        await following.click()
        await view.find("nav :text-is('81–95 of 95')").wait_for()
        assert await following.is_disabled()
        assert await view.frame.evaluate("document.activeElement.textContent") == "Previous", "the focus is not lost"
        calls = [call["input"] for call in await view.calls()]
        assert calls == [{"symbol": "SBER", "limit": 40, "offset": 40}, {"symbol": "SBER", "limit": 40, "offset": 80}]
        await previous.click()  # the host has no further answer
        await view.find("nav :text-is('The host denied the call')").wait_for()
        assert (await column(view, 4))[0] == "80", "the rows stay"


async def test_an_error_of_another_page_stands_beside_the_rows_that_are_there(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["table"])) as view:
        await view.show(sample(), limit=40)
        await view.answer({"isError": True, "content": [{"type": "text", "text": "Too many requests"}]})
        await view.find("nav button").last.click()
        await view.find("nav :text-is('Too many requests')").wait_for()
        assert len(await column(view, 4)) == 40


async def test_a_page_without_a_total_ends_where_fewer_rows_come(browser: Browser) -> None:
    paging = {"limit": "limit", "offset": "offset"}
    async with show_view(browser, configuration(PANELS["table"], paging=paging)) as view:
        await view.show(sample(), limit=40)
        assert await view.find("nav [role=status]").inner_text() == "1–40"
        await view.answer(sample(7, 40))
        await view.find("nav button").last.click()
        await view.find("nav :text-is('41–47')").wait_for()
        assert await view.find("nav button").last.is_disabled()


async def test_ten_thousand_rows_cost_what_is_seen_of_them(browser: Browser) -> None:
    panels = (PANELS["table"], PANELS["candles"], PANELS["lines"])
    async with show_view(browser, configuration(*panels)) as view:
        rows = sample()["structuredContent"]["data"]
        many = {name: rows[name] * (10_000 // len(rows[name])) for name in ("items", "days", "trades")}
        await view.show(result(**many))
        body = view.find(".table tbody tr")
        assert await body.count() == 100
        assert await view.find("*").count() < 1500
        assert await view.find(".table table").get_attribute("aria-rowcount") == "10001"
        await view.find(".table .grid").evaluate("(grid) => grid.scrollTo(0, grid.scrollHeight)")
        await view.find(".table tr[aria-rowindex='201']").wait_for(state="attached")
        assert await body.count() == 200
        await view.find("th button:text-is('Quantity')").click()
        assert await body.count() == 100
        assert set(await column(view, 4)) == {"0"}


async def test_key_figures_are_rounded_and_have_units(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["figures"])) as view:
        await view.show(sample())
        assert await view.texts("dd") == [
            "1.2346",
            "12,345.68 USD",
            "412",
            "mean-reversion-20",
            "yes",
            "3 Mar 2025, 11:00",
            "–",
        ]
        assert await view.find("dl > div").first.get_attribute("title") == "Of daily returns, for a year."


async def test_an_address_opens_through_the_host(browser: Browser) -> None:
    figures = {"kind": "figures", "figures": [{"pointer": "/url", "label": "Filing", "format": "text"}]}
    async with show_view(browser, configuration(figures)) as view:
        await view.show(result(url="https://example.com/filing?id=1"))
        await view.find("a").focus()
        await view.page.keyboard.press("Enter")
        await view.page.wait_for_function("host.opened.length === 1")
        assert await view.page.evaluate("host.opened") == ["https://example.com/filing?id=1"]


async def test_a_form_sends_what_was_entered_and_all_panels_show_the_new_result(browser: Browser) -> None:
    async with show_view(browser, configuration(*STACK)) as view:
        await view.show(sample(), symbol="SBER", strategy="momentum", fast=10, tags=["a"])
        assert await view.find("[name=symbol]").input_value() == "SBER"
        await view.find("[name=fast]").fill("20")
        await view.find("[name=fee]").fill("0.05")
        await view.find("[name=start_date]").fill("2025-03-03")
        await view.find("[name=shortSales]").select_option(label="no")
        await view.find("[name=tags]").fill('["b", "c"]')
        await view.answer(sample(3))
        await view.find("[name=fast]").press("Enter")
        await view.find("[role=status]:text-is('The result is shown')").wait_for(state="attached")
        await view.find("nav :text-is('1–3 of 95')").wait_for()
        assert await view.calls() == [
            {
                "name": "run_backtest",
                "input": {
                    "symbol": "SBER",
                    "strategy": "momentum",
                    "fast": 20,
                    "fee": 0.05,
                    "start_date": "2025-03-03",
                    "shortSales": False,
                    "tags": ["b", "c"],
                },
            }
        ]


async def test_a_form_names_what_is_wrong_before_it_calls(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["form"])) as view:
        assert await view.find("label:has-text('Symbol')").is_visible(), "a form waits for no result"
        await view.find("[name=symbol]").fill("sber")
        await view.find("[name=fast]").fill("300")
        await view.find("[name=tags]").fill("[1")
        await view.find(".send button").press("Enter")
        errors = await view.texts(".field .error:visible")
        assert errors[0] == "Enter a text that matches ^[A-Z]+$"
        assert errors[1] == "Enter a value"
        assert "200" in errors[2]
        assert errors[3].startswith("Enter JSON: ")
        assert await view.frame.evaluate("document.activeElement.name") == "symbol"
        described = await view.find("[name=symbol]").get_attribute("aria-describedby") or ""
        assert errors[0] in [(await view.texts(f"#{part}"))[0] for part in described.split()]
        assert await view.calls() == []


async def test_a_form_shows_the_error_of_the_tool_and_keeps_the_entries(browser: Browser) -> None:
    async with show_view(browser, configuration(PANELS["form"], PANELS["figures"])) as view:
        await view.show(sample(), symbol="ABC", strategy="momentum")
        await view.answer({"isError": True, "content": [{"type": "text", "text": "Unknown symbol ABC"}]})
        await view.find(".send button").click()
        await view.find("[role=alert]:text-is('Unknown symbol ABC')").wait_for()
        assert await view.find("[name=symbol]").input_value() == "ABC"
        assert await view.find("dd").first.inner_text() == "1.2346"


async def test_an_argument_that_may_be_null_is_sent_as_null_where_it_is_required(browser: Browser) -> None:
    parameters = {
        "type": "object",
        "required": ["article", "count"],
        "properties": {
            "article": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "count": {"type": ["integer", "null"], "default": 5},
            "mode": {"const": "fast"},
        },
    }
    async with show_view(browser, configuration(PANELS["form"], parameters=parameters)) as view:
        await view.answer(sample())
        await view.find("button").click()
        await view.find("body[data-state=result]").wait_for()
        assert [call["input"] for call in await view.calls()] == [{"article": None, "count": 5}]


async def test_a_form_takes_multiples_of_a_number_whatever_its_minimum(browser: Browser) -> None:
    count = {"type": "integer", "minimum": 1, "multipleOf": 5}
    fee = {"type": "number", "multipleOf": 0.1}
    parameters = {"type": "object", "required": ["count"], "properties": {"count": count, "fee": fee}}
    async with show_view(browser, configuration(PANELS["form"], parameters=parameters)) as view:
        required = [await view.find(f"[name={name}]").get_attribute("aria-required") for name in ("count", "fee")]
        assert required == ["true", "false"]
        await view.find("[name=count]").fill("6")
        await view.find("[name=fee]").fill("0.25")
        await view.find("button").click()
        assert await view.texts(".field .error:visible") == ["Enter a multiple of 5", "Enter a multiple of 0.1"]
        await view.find("[name=count]").fill("5")
        await view.find("[name=fee]").fill("0.3")
        await view.answer(sample())
        await view.find("button").click()
        await view.find("body[data-state=result]").wait_for()
        assert [call["input"] for call in await view.calls()] == [{"count": 5, "fee": 0.3}]
