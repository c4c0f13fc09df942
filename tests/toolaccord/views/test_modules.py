"""Modules of views by themselves: pointers, texts of values, and the marks of axes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.services.browser import open_page
from toolaccord.views.document import read_file

pytestmark = pytest.mark.asyncio(loop_scope="session")

SITE = "https://modules.test/"
MARKS = """async ([times, zone, first, last, most]) => {
  const { Calendar } = await import("/axes.js");
  const { Format } = await import("/format.js");
  const calendar = new Calendar(times.map(Date.parse), new Format("en-GB", zone), zone);
  const indices = calendar.marks(first, last, most);
  return calendar.texts(indices).map((text, place) => [indices[place], text]);
}"""


def serve(url: str) -> dict[str, Any]:
    """Answer a module, or an empty page."""
    path = url.removeprefix(SITE)
    if not path.endswith(".js"):
        return {"body": "<!doctype html><title>Modules</title>", "content_type": "text/html"}
    return {"body": read_file(path), "content_type": "text/javascript"}


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser) -> AsyncIterator[Page]:
    """Page that imports modules."""
    async with open_page(browser, serve) as tab:
        await tab.goto(SITE)
        yield tab


def moments(count: int, **step: int) -> list[str]:
    """Return moments from the evening of 30 March 2025 in UTC on, a step apart."""
    start = datetime(2025, 3, 29, 22, tzinfo=UTC)
    return [(start + timedelta(**step) * index).isoformat() for index in range(count)]


@pytest.mark.parametrize(
    "pointer, expected",
    [
        ("", {"a": [{"b": 1, "c": [1, 2]}, {"c": []}, {"b": None}], "x/y": {"~": "z"}, "*": 4}),
        ("/a/*/b", [1, None, None]),
        ("/a/*/c/*", [1, 2]),
        ("/a/1/c", []),
        ("/x~1y/~0", "z"),
        ("/missing/*/b", []),
        ("/missing/b", None),
        ("/constructor", None),
    ],
)
async def test_a_pointer_finds_what_it_names(page: Page, pointer: str, expected: object) -> None:
    value = {"a": [{"b": 1, "c": [1, 2]}, {"c": []}, {"b": None}], "x/y": {"~": "z"}, "*": 4}
    script = "async ([pointer, value]) => (await import('/pointers.js')).valueAt(pointer, value)"
    assert await page.evaluate(script, [pointer, value]) == expected


@pytest.mark.parametrize(
    "values, texts",
    [
        ([1, 2.5, None], ["1.0", "2.5", "–"]),
        ([0.1 + 0.2, 1], ["0.3", "1.0"]),
        ([64123.45, 0.00001234], ["64,123.45", "0.0000123"]),
        ([1234567.891], ["1,234,567.89"]),
        (["12.340", "x"], ["12.34", "x"]),
        (["9007199254740993", "0x10"], ["9,007,199,254,740,993", "0x10"]),
        ([1e21, -5e-9], ["1,000,000,000,000,000,000,000.00", "-0.000000005"]),
    ],
)
async def test_the_numbers_of_a_column_share_their_decimals(page: Page, values: list[Any], texts: list[str]) -> None:
    script = """async (values) => {
      const { Format } = await import("/format.js");
      return values.map(new Format("en-GB").column({ format: "number" }, values));
    }"""
    assert await page.evaluate(script, values) == texts


async def test_days_that_begin_in_the_time_zone_of_an_exchange_stay_its_days(page: Page) -> None:
    script = """async (times) => {
      const { Format } = await import("/format.js");
      return times.map(new Format("en-GB", "America/New_York").column({ format: "date-time" }, times));
    }"""
    moscow = ["2025-06-02T00:00:00+03:00", "2025-06-03T00:00:00+03:00"]
    assert await page.evaluate(script, moscow) == ["2 Jun 2025", "3 Jun 2025"]
    assert await page.evaluate(script, ["2025-06-02T00:00:00+03:00", "2025-06-02T10:00:00+03:00"]) == [
        "1 Jun 2025, 17:00",
        "2 Jun 2025, 03:00",
    ]


@pytest.mark.parametrize(
    "numbers, texts",
    [
        ([0, 2.5, 5], ["0.0", "2.5", "5.0"]),
        ([14000, 14500, None], ["14k", "14.5k", ""]),
        ([64123, 64124], ["64,123", "64,124"]),
        ([1.0834, 1.0835], ["1.0834", "1.0835"]),
        ([-2e6, 0, 2e6], ["-2m", "0", "2m"]),
        ([5], ["5"]),
        ([0], ["0"]),
    ],
)
async def test_numbers_of_an_axis_have_the_digits_that_tell_them_apart(
    page: Page, numbers: list[Any], texts: list[str]
) -> None:
    script = """async (numbers) => {
      const { Format } = await import("/format.js");
      return (await import("/axes.js")).writeNumbers(numbers, new Format("en-GB"));
    }"""
    assert await page.evaluate(script, numbers) == texts


async def test_an_axis_is_marked_where_days_begin_for_the_reader_also_when_clocks_change(page: Page) -> None:
    hours = moments(72, hours=1)
    marks = await page.evaluate(MARKS, [hours, "Europe/Berlin", -0.5, 71.5, 4])
    assert marks == [[1, "30 Mar\n2025"], [24, "31 Mar"], [48, "1 Apr"]]
    marks = await page.evaluate(MARKS, [hours, "UTC", -0.5, 71.5, 4])
    assert marks == [[2, "30 Mar\n2025"], [26, "31 Mar"], [50, "1 Apr"]]
    marks = await page.evaluate(MARKS, [hours, "Asia/Kolkata", 20, 30, 6])
    assert marks == [[21, "00:30\n31 Mar"], [24, "03:30"], [27, "06:30"], [30, "09:30"]]


async def test_an_axis_of_years_is_marked_at_months_and_years(page: Page) -> None:
    days = moments(800, days=1)
    marks = await page.evaluate(MARKS, [days, "UTC", 0, 799, 10])
    assert marks[:2] == [[3, "Apr\n2025"], [94, "Jul"]]
    assert [278, "Jan\n2026"] in marks
    marks = await page.evaluate(MARKS, [days, "UTC", 0, 799, 3])
    assert marks == [[278, "2026"], [643, "2027"]]


async def test_a_few_times_have_a_mark_at_least(page: Page) -> None:
    assert await page.evaluate(MARKS, [moments(1, days=1), "UTC", -0.5, 0.5, 4]) == [[0, "29 Mar\n2025"]]
    weekdays = [*moments(6, days=1)]
    marks = await page.evaluate(MARKS, [weekdays, "UTC", -0.5, 5.5, 3])
    assert 2 <= len(marks) <= 3
