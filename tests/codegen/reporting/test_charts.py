"""Charts for a terminal: candles, curves and bars."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from toolaccord_codegen.reporting.charts.bars import draw_bars
from toolaccord_codegen.reporting.charts.candles import Candle, draw_candles
from toolaccord_codegen.reporting.charts.curves import Curve, draw_curves
from toolaccord_codegen.reporting.charts.frame import LARGEST

NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)
FINITE = st.floats(-LARGEST / 1000, LARGEST / 1000)


def show(drawn: Any, width: int = 100) -> list[str]:
    console = Console(width=width, no_color=True)
    with console.capture() as captured:
        console.print(drawn)
    return [line.rstrip() for line in captured.get().rstrip("\n").splitlines()]


def candle(first: float, high: float, low: float, last: float, hours: int = 0, volume: float | None = None) -> Candle:
    time = NOON + timedelta(hours=hours)
    return Candle(time=time, open=first, high=high, low=low, close=last, volume=volume)


def test_rising_candles_are_lines_and_falling_ones_blocks_on_one_scale() -> None:
    rising, falling = candle(100, 130, 100, 115, volume=10), candle(115, 115, 107.5, 107.5, hours=1, volume=5)
    assert show(draw_candles([rising, falling], 60, 8)) == [
        "    ││",
        "    ││",
        "120 ┤│",
        "    │╽   ▄",
        "    │┃   █",
        "    │┃   █",
        "    │┃",
        "100 ┤┃",
        " 10 ┤█",
        "  5 ┤█   ▄",
        "  0 ┤█   █",
        "    └┬───────",
        "     12:00",
        "2 candles, 2026-11-28 12:00 UTC to 2026-11-28 13:00 UTC",
        "from 100 to 107.5 (+7.50%), between 100 and 130",
    ]


def test_more_candles_than_columns_are_merged() -> None:
    lines = show(draw_candles([candle(1, each + 2, 0, 1, each) for each in range(400)], 60, 8))
    assert max(map(len, lines[:-2])) <= 60
    assert lines[-2].startswith("400 candles, 8 in a column, ")
    assert lines[-1] == "from 1 to 1 (+0.00%), between 0 and 401"


def test_a_scale_of_millions_is_short() -> None:
    lines = show(draw_curves([0, 1], [Curve(name="x", values=[0.0, 25e6])], 40, 6))
    assert [line.partition(" ┤")[0].strip() for line in lines if "┤" in line] == ["20M", "0"]


def test_a_curve_is_a_line_of_dots_with_gaps_where_values_are_missing() -> None:
    values = [0.0, 1.0, None, 3.0, 4.0]
    assert show(draw_curves([0, 1, 2, 3, 4], [Curve(name="x", values=values)], 24, 4)) == [
        "4 ┤                ⢀⡠⠤⠒⠉",
        "2 ┤               ⠈⠁",
        "  │    ⢀⡀",
        "0 ┤⣀⠤⠒⠊⠁",
        "  └┬─────────┬──────────",
        "   0         2",
        "5 values, 0 to 4",
        "⣀ x  last 4, between 0 and 4",
    ]


def test_an_area_reaches_down_to_zero() -> None:
    lines = show(draw_curves([0, 1], [Curve(name="x", values=[2.0, 4.0], is_filled=True)], 24, 4))
    assert lines[3].partition("┤")[2] == "⣿" * 21


def test_bars_begin_at_one_column_and_end_with_their_values() -> None:
    assert show(draw_bars(["SBER", "a name of more than twenty-four"], [14.5, -7.25], 60)) == [
        f"SBER                      {'█' * 27} 14.5",
        f"a name of more than twe…  {'█' * 13}▌ -7.25",
    ]


@given(st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=80), st.integers(40, 120))
def test_numbers_of_any_size_are_drawn_in_the_width(prices: list[tuple[float, float]], width: int) -> None:
    candles = [candle(a, max(a, b), min(a, b), b, hours, abs(a)) for hours, (a, b) in enumerate(prices)]
    curve = Curve(name="x", values=[a for a, _ in prices], is_filled=True)
    for drawn in (
        draw_candles(candles, width, 6),
        draw_curves([b for _, b in sorted(prices, key=lambda each: each[1])], [curve], width, 6),
        draw_bars(["x"] * len(prices), [a for a, _ in prices], width),
    ):
        lines = show(drawn, 1000)
        assert max(len(line) for line in lines if not line.startswith(("from", "⣀", f"{len(prices)} "))) <= width
