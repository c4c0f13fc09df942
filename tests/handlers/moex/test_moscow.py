from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from generated.moex.errors import IssBadResponse
from handlers.moex.moscow import is_over, read_day, read_moscow_time


@pytest.mark.parametrize(
    "text, offset_h",
    [
        ("2026-03-06 16:25:43", 3),
        ("2014-10-27 10:00:00", 3),
        ("2014-10-24 18:00:00", 4),
        ("2014-06-09 10:00:00", 4),
        ("2010-07-01 10:30:00", 4),
        ("2010-12-01 10:30:00", 3),
    ],
)
def test_a_time_has_the_offset_that_moscow_had_then(text: str, offset_h: int) -> None:
    found = read_moscow_time({"SYSTIME": text}, "SYSTIME")
    assert (f"{found:%Y-%m-%d %H:%M:%S}", found.utcoffset()) == (text, timedelta(hours=offset_h))


@pytest.mark.parametrize("text", ["16:25:43", "2023-10-18", "", "18.10.2023 16:25:43", None, 20231018162543])
def test_a_time_without_its_date_is_a_bad_response(text: Any) -> None:
    with pytest.raises(IssBadResponse, match="SYSTIME"):
        read_moscow_time({"SYSTIME": text}, "SYSTIME")


def test_a_day_is_a_day() -> None:
    assert read_day({"tradedate": "2026-03-06"}, "tradedate") == date(2026, 3, 6)
    with pytest.raises(IssBadResponse, match="tradedate"):
        read_day({"tradedate": "6 March"}, "tradedate")


@pytest.mark.parametrize(
    "now, over",
    [
        (datetime(2026, 3, 6, 12, tzinfo=UTC), False),
        (datetime(2026, 3, 6, 21, 0, tzinfo=UTC), False),
        (datetime(2026, 3, 6, 21, 14, 59, tzinfo=UTC), False),
        (datetime(2026, 3, 6, 21, 15, tzinfo=UTC), True),
        (datetime(2026, 3, 5, 12, tzinfo=UTC), False),
        (datetime(2027, 1, 1, tzinfo=UTC), True),
    ],
)
def test_a_day_is_over_at_midnight_in_moscow_plus_the_delay_of_the_data(now: datetime, *, over: bool) -> None:
    assert is_over(date(2026, 3, 6), now) is over
