"""Windows of bars between two times."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.platform.windows import Window

WIDTHS = [timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240, 1440)]
MIDNIGHT = datetime(2026, 3, 29, tzinfo=UTC)
"""The day on which European clocks go forward."""
INSTANT = timedelta(microseconds=1)
ZONES = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=ZONES)  # noqa: DTZ001 - hypothesis adds the zone


@pytest.mark.parametrize("width", WIDTHS)
def test_a_window_between_borders_has_every_bar_between_them(width: timedelta) -> None:
    window = Window.between(MIDNIGHT, MIDNIGHT + 7 * width, width)
    assert (window.bars, window.start, window.end) == (7, MIDNIGHT, MIDNIGHT + 7 * width)


@pytest.mark.parametrize("width", WIDTHS)
def test_an_instant_after_a_border_the_bar_is_no_longer_whole(width: timedelta) -> None:
    window = Window.between(MIDNIGHT + INSTANT, MIDNIGHT + 7 * width - INSTANT, width)
    assert (window.bars, window.start, window.end) == (5, MIDNIGHT + width, MIDNIGHT + 6 * width)


def test_a_day_is_a_day_of_utc_when_clocks_change() -> None:
    berlin = timezone(timedelta(hours=1)), timezone(timedelta(hours=2))
    start, end = MIDNIGHT.astimezone(berlin[0]), (MIDNIGHT + timedelta(days=1)).astimezone(berlin[1])
    assert Window.between(start, end, timedelta(days=1)).bars == 1
    assert Window.between(start, end, timedelta(hours=1)).bars == 24


@given(TIMES, TIMES, st.sampled_from(WIDTHS))
def test_bars_lie_within_the_times_and_no_more_would_fit(start: datetime, end: datetime, width: timedelta) -> None:
    window = Window.between(start, end, width)
    assert window.bars >= 0
    if window.bars:
        assert start <= window.start < window.end <= end
        assert window.end - window.start == window.bars * width
        assert window.start - start < width
        assert end - window.end < width
    else:
        assert end - start < 2 * width


@given(TIMES, TIMES, TIMES, st.sampled_from(WIDTHS))
def test_closed_bars_are_those_that_end_by_now(start: datetime, end: datetime, now: datetime, width: timedelta) -> None:
    window = Window.between(start, end, width)
    closed = window.closed_at(now)
    assert closed.bars == Window.between(start, min(end, now), width).bars
    assert (closed == window) == (window.stop <= closed.stop)


def test_no_bar_is_older_than_1970() -> None:
    window = Window.between(datetime(1969, 12, 31, tzinfo=UTC), datetime(1970, 1, 2, tzinfo=UTC), timedelta(days=1))
    assert window.since(window.first - 100).start == datetime(1970, 1, 1, tzinfo=UTC)


def test_a_window_before_1970_has_no_bars_from_1970_on() -> None:
    first = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=10)))
    window = Window.between(first, first + timedelta(hours=1), timedelta(minutes=1)).since(0)
    assert (window.bars, window.start, window.end) == (0, *[datetime(1970, 1, 1, tzinfo=UTC)] * 2)


def test_completeness_is_the_share_of_the_minutes_that_are_stored() -> None:
    window = Window.between(MIDNIGHT, MIDNIGHT + timedelta(hours=8), timedelta(hours=1))
    assert [window.completeness(minutes) for minutes in (0, 8, 120, 480)] == [0.0, 1 / 60, 0.25, 1.0]
