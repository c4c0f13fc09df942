"""The volume ratio; the other members are those of the tools."""

from datetime import UTC, datetime, timedelta

import pytest

from generated.tradestream.market_data.models import Candle
from handlers.agents.market_context import find_volume_ratio

NEWEST = datetime(2026, 11, 23, 11, tzinfo=UTC)


def candle(hours_ago: int, volume: float) -> Candle:
    return Candle(timestamp=NEWEST - timedelta(hours=hours_ago), open=1, high=1, low=1, close=1, volume=volume)


def day(volume: float) -> list[Candle]:
    return [candle(hours_ago, volume) for hours_ago in range(24, 0, -1)]


def test_the_ratio_is_that_of_the_newest_hour_to_the_mean_of_the_24_before_it() -> None:
    volumes = [10.0 * hour for hour in range(24)]
    before = [candle(24 - place, volume) for place, volume in enumerate(volumes)]
    assert find_volume_ratio([*before, candle(0, 230.0)]) == pytest.approx(2.0)


def test_an_hour_without_a_candle_had_no_volume() -> None:
    with_gap = [candle(30, 999.0), *(each for each in day(120.0) if each.timestamp != NEWEST - timedelta(hours=7))]
    assert find_volume_ratio([*with_gap, candle(0, 115.0)]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "candles",
    [
        [],
        [*day(100.0)[1:], candle(0, 100.0)],
        [*day(0.0), candle(0, 100.0)],
        [*day(5e-324), candle(0, 1e308)],
    ],
    ids=["no candle", "23 hours before", "no volume", "a ratio beyond a double"],
)
def test_there_is_no_ratio_without_a_mean_to_compare_with(candles: list[Candle]) -> None:
    assert find_volume_ratio(candles) is None
