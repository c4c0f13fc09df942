from collections.abc import Callable, Mapping
from typing import Any

import pytest

from generated.moex.errors import IssBadResponse
from handlers.moex.exchange import MAX_PAGES, Pages, fetch_pages
from tests.handlers.moex.exchange import Recorded, RecordedProgress

PAGES = Pages(block="candles", columns=("begin", "close"), needed=("close",), length=5)


def served(
    rows: list[Any], *, page: int = 5, cursor: bool = False, reported_total: int | None = None
) -> Callable[[str, Mapping[str, Any]], Any]:
    """Return an exchange with *rows* in pages of *page*.

    Its cursor, if any, has the total *reported_total*, by default that of *rows*.
    """

    def answer(_path: str, query: Mapping[str, Any]) -> Any:
        start = query["start"]
        table = {"columns": ["close"], "data": [[row] for row in rows[start : start + page]]}
        total = len(rows) if reported_total is None else reported_total
        whole = {"candles.cursor": {"columns": ["TOTAL", "INDEX"], "data": [[total, start]]}} if cursor else {}
        return {"candles": table} | whole

    return answer


async def pages(document: Any) -> tuple[list[Any], int]:
    """The rows that are read, and the number of requests."""
    exchange = Recorded(document)
    found = await fetch_pages(exchange, "candles.json", PAGES, {"interval": 60})
    assert [query["start"] for _, query in exchange.requests] == sorted(
        {query["start"] for _, query in exchange.requests}
    )
    assert all(query["interval"] == 60 for _, query in exchange.requests)
    return [row["close"] for row in found], len(exchange.requests)


@pytest.mark.parametrize("count, requests", [(0, 1), (4, 1), (5, 2), (6, 2), (12, 3), (15, 4)])
async def test_without_a_cursor_a_short_or_empty_page_is_the_last(count: int, requests: int) -> None:
    assert await pages(served(list(range(count)))) == (list(range(count)), requests)


@pytest.mark.parametrize("count, requests", [(0, 1), (4, 1), (5, 1), (6, 2), (12, 3), (15, 3)])
async def test_a_cursor_marks_the_last_page(count: int, requests: int) -> None:
    assert await pages(served(list(range(count)), cursor=True)) == (list(range(count)), requests)


async def test_with_a_cursor_pages_may_be_of_any_length() -> None:
    for page in (1, 3, 9):
        found, _ = await pages(served(list(range(20)), page=page, cursor=True))
        assert found == list(range(20))


@pytest.mark.parametrize("cursor, whole", [(True, 12), (False, None)])
async def test_each_page_is_reported_with_the_total_of_its_cursor(*, cursor: bool, whole: int | None) -> None:
    progress = RecordedProgress()
    await fetch_pages(Recorded(served(list(range(12)), cursor=cursor)), "candles.json", PAGES, {}, progress)
    assert progress.reports == [(5, whole), (10, whole), (12, whole)]


async def test_a_list_shorter_than_the_total_of_its_cursor_is_a_bad_response() -> None:
    with pytest.raises(IssBadResponse, match="ends before all of its 8 rows"):
        await pages(served(list(range(5)), cursor=True, reported_total=8))


async def test_a_page_of_more_rows_than_all_pages_may_have_is_a_bad_response() -> None:
    rows = list(range(MAX_PAGES * PAGES.length + 1))
    assert len((await pages(served(rows[:-1], page=len(rows), cursor=True)))[0]) == len(rows) - 1
    with pytest.raises(IssBadResponse, match="does not end"):
        await pages(served(rows, page=len(rows), cursor=True))


async def test_a_page_that_comes_again_is_a_bad_response() -> None:
    first = served(list(range(5)))
    with pytest.raises(IssBadResponse, match="repeatedly"):
        await pages(lambda path, query: first(path, dict(query) | {"start": 0}))


async def test_a_list_without_an_end_is_given_up() -> None:
    exchange = Recorded(served(list(range(1000))))
    with pytest.raises(IssBadResponse, match="does not end"):
        await fetch_pages(exchange, "candles.json", PAGES, {})
    assert len(exchange.requests) == MAX_PAGES
