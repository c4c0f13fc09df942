"""The cost model against plain recomputation, simulated prices, and its properties."""

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from handlers.candles.store import Bar
from handlers.platform.cost_model import (
    InsufficientLiquidity,
    Market,
    Order,
    estimate_market,
    estimate_spread,
    estimate_volatility,
    quote,
)
from handlers.platform.first_passage import hitting_probability, mean_hitting_time

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
MARKET = Market(mid=100.0, spread=0.001, volatility=0.0005, volume=50.0)


def simulate_bars(count: int, *, spread: float = 0.0, deviation: float = 1e-3, steps: int = 100) -> list[Bar]:
    """Return bars of a random walk whose trades are half the spread above or below it."""
    chance = random.Random(5)
    price, bars = math.log(100), []
    for minute in range(count):
        trades = []
        for _ in range(steps):
            price += chance.gauss(0, deviation / math.sqrt(steps))
            trades.append(math.exp(price + chance.choice([-1, 1]) * spread / 2))
        time = START + timedelta(minutes=minute)
        bars.append(Bar(time, trades[0], max(trades), min(trades), trades[-1], chance.uniform(1, 9)))
    return bars


# --- the estimators ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spread", [0.002, 0.005])
def test_the_spread_of_a_simulated_market_is_found(spread: float) -> None:
    assert estimate_spread(simulate_bars(4000, spread=spread)) == pytest.approx(spread, rel=0.1)


def test_a_trend_has_no_spread() -> None:
    bars = [Bar(START, price, price + 0.1, price - 0.1, price + 0.05, 1.0) for price in range(100, 130)]
    assert estimate_spread(bars) == 0


def test_the_volatility_of_a_simulated_market_is_found() -> None:
    # A range that is seen at 2000 moments is a little smaller than that of a path.
    assert estimate_volatility(simulate_bars(1000, steps=2000)) == pytest.approx(1e-3, rel=0.05)


@pytest.mark.parametrize("spread", [0.0, 0.004])
def test_a_market_is_what_plain_python_computes_from_the_formulas(spread: float) -> None:
    bars = simulate_bars(60, spread=spread)
    total, pairs = 0.0, 0
    for now, after in itertools.pairwise(bars):
        close = math.log(now.close)
        total += (close - math.log(now.high * now.low) / 2) * (close - math.log(after.high * after.low) / 2)
        pairs += 1
    squares = [math.log(bar.high / bar.low) ** 2 for bar in bars]
    market = estimate_market(bars)
    assert market.mid == bars[-1].close
    assert market.spread == pytest.approx(max(0.00005, math.sqrt(max(0, 4 * total / pairs))))
    assert market.volatility == pytest.approx((sum(squares) / 60 / (4 * math.log(2))) ** 0.5)
    assert market.volume == pytest.approx(sum(bar.volume for bar in bars) / 60)


def test_minutes_without_a_bar_have_no_volume() -> None:
    bars = simulate_bars(60)
    assert estimate_market(bars[::2]).volume == pytest.approx(sum(bar.volume for bar in bars[::2]) / 60)


@pytest.mark.parametrize(
    "annual, regime",
    [(0, "low"), (0.199, "low"), (0.201, "normal"), (0.599, "normal"), (0.601, "high"), (1.201, "extreme")],
)
def test_the_regime_is_that_of_the_annualised_volatility(annual: float, regime: str) -> None:
    assert replace(MARKET, volatility=annual / math.sqrt(365 * 1440)).regime == regime


# --- the first passage ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("z", [0.1, 0.5, 1.0, 2.0])
def test_probability_and_mean_time_are_the_integrals_of_the_first_passage_density(z: float) -> None:
    steps = 200_000
    times = [(step + 0.5) / steps for step in range(steps)]
    density = [z / math.sqrt(2 * math.pi * time**3) * math.exp(-z * z / (2 * time)) for time in times]
    probability = sum(density) / steps
    mean = sum(time * each for time, each in zip(times, density, strict=True)) / steps / probability
    assert hitting_probability(z * 0.01, 0.01) == pytest.approx(probability, rel=1e-3)
    assert mean_hitting_time(z * 0.01, 0.01) == pytest.approx(mean, rel=1e-3)


@given(st.floats(0, 60), st.floats(0, 60), st.sampled_from([0.0, 1e-9, 0.02, 5.0]))
def test_what_is_farther_is_less_probable_and_takes_longer(one: float, other: float, deviation: float) -> None:
    near, far = sorted([one * (deviation or 1), other * (deviation or 1)])
    assert 1 >= hitting_probability(near, deviation) >= hitting_probability(far, deviation) >= 0
    assert 0 <= mean_hitting_time(near, deviation) <= mean_hitting_time(far, deviation) + 1e-9 <= 1 + 1e-9


def test_a_price_that_never_moves_reaches_nothing_but_itself() -> None:
    assert (hitting_probability(0.01, 0), mean_hitting_time(0.01, 0)) == (0, 1)
    assert (hitting_probability(0, 0), mean_hitting_time(0, 0)) == (1, 0)


# --- quotes --------------------------------------------------------------------------------------------------------


def test_a_market_order_pays_half_the_spread_and_the_impact() -> None:
    quoted = quote(MARKET, Order(side="buy", qty=3.0))
    impact = 0.0005 * math.sqrt(1440) * math.sqrt(3 / (50 * 1440))
    cost = 0.0005 + impact
    assert asdict(quoted) == {
        "expected_price": pytest.approx(100 * (1 + cost)),
        "slippage_bps": pytest.approx(cost * 10_000),
        "permanent_bps": pytest.approx(impact * 10_000 * 2 / 3),
        "temporary_bps": pytest.approx(impact * 10_000 / 3),
        "total_cost_bps": pytest.approx(cost * 10_000),
        "fill_probability": 1.0,
        "fill_time_min": pytest.approx(3 / (0.1 * 50)),
        "liquidity_score": pytest.approx(0.99),
        "partial_fill_risk": pytest.approx(0.01),
    }


def test_a_resting_limit_order_has_its_limit_as_price_and_the_odds_of_reaching_it() -> None:
    market_order = quote(MARKET, Order(side="sell", qty=3.0))
    quoted = quote(MARKET, Order(side="sell", qty=3.0, kind="limit", price=100.5))
    z = math.log(100.5 / market_order.expected_price) / (0.0005 * math.sqrt(60))
    tail = 0.5 * math.erfc(z / math.sqrt(2))
    time = 60 * (z * math.exp(-z * z / 2) / math.sqrt(2 * math.pi) / tail - z * z)
    assert quoted.expected_price == 100.5
    assert quoted.slippage_bps == pytest.approx(-50)
    assert quoted.total_cost_bps == market_order.total_cost_bps
    assert quoted.fill_probability == pytest.approx(2 * tail)
    assert quoted.fill_time_min == pytest.approx(time + market_order.fill_time_min)
    assert quoted.partial_fill_risk == pytest.approx(1 - 2 * tail * 0.99)


def test_a_resting_stop_order_becomes_a_market_order_at_its_trigger() -> None:
    cost = quote(MARKET, Order(side="buy", qty=3.0)).total_cost_bps
    quoted = quote(MARKET, Order(side="buy", qty=3.0, kind="stop", price=100.2))
    z = math.log(1.002) / (0.0005 * math.sqrt(60))
    assert quoted.expected_price == pytest.approx(100.2 * (1 + cost / 10_000))
    assert quoted.slippage_bps == cost
    assert quoted.fill_probability == pytest.approx(math.erfc(z / math.sqrt(2)))


@pytest.mark.parametrize("side, price", [("buy", 99.0), ("buy", 100.0), ("sell", 100.0), ("sell", 101.0)])
def test_a_stop_order_whose_trigger_has_passed_is_a_market_order(side: Any, price: float) -> None:
    stop = quote(MARKET, Order(side=side, qty=3.0, kind="stop", price=price))
    assert stop == quote(MARKET, Order(side=side, qty=3.0))


@pytest.mark.parametrize("market", [replace(MARKET, volume=0.0), replace(MARKET, volume=0.1)])
def test_a_quantity_above_a_tenth_of_the_volume_of_an_hour_is_not_executed(market: Market) -> None:
    with pytest.raises(InsufficientLiquidity) as raised:
        quote(market, Order(side="buy", qty=0.61))
    assert raised.value.max_qty == pytest.approx(market.volume * 6)


def test_an_order_that_costs_its_whole_price_is_not_executed() -> None:
    with pytest.raises(InsufficientLiquidity):
        quote(replace(MARKET, spread=2.0), Order(side="sell", qty=1.0))


# --- properties ----------------------------------------------------------------------------------------------------

POSITIVE = st.floats(1e-6, 1e6)
MARKETS = st.builds(
    Market,
    mid=st.floats(1e-9, 1e9),
    spread=st.floats(0, 0.5),
    volatility=st.one_of(st.just(0.0), st.floats(1e-7, 0.02)),
    volume=POSITIVE,
)
SHARES = st.floats(1e-9, 0.999)
"""Quantities, as parts of the largest that a market takes."""
SIDES: Any = st.sampled_from(["buy", "sell"])


@st.composite
def place_orders(draw: st.DrawFn, market: Market) -> Order:
    """Draw an order that *market* takes."""
    kind: Any = draw(st.sampled_from(["market", "limit", "stop"]))
    price = None if kind == "market" else market.mid * draw(st.floats(0.1, 10))
    return Order(side=draw(SIDES), qty=market.max_qty * draw(SHARES), kind=kind, price=price)


@given(MARKETS, st.data())
def test_every_quote_is_finite_and_within_its_bounds(market: Market, data: st.DataObject) -> None:
    order = data.draw(place_orders(market))
    quoted = quote(market, order)
    assert all(math.isfinite(value) for value in asdict(quoted).values())
    assert quoted.expected_price > 0
    assert all(0 <= value <= 1 for value in (quoted.fill_probability, quoted.liquidity_score, quoted.partial_fill_risk))
    assert quoted.fill_time_min >= 0
    assert quoted.slippage_bps <= quoted.total_cost_bps
    parts = (quoted.permanent_bps, quoted.temporary_bps, market.spread / 2 * 10_000)
    assert quoted.total_cost_bps == pytest.approx(sum(parts))


@given(MARKETS, SIDES, SHARES, SHARES)
def test_a_larger_order_costs_more_and_takes_longer(market: Market, side: Any, one: float, other: float) -> None:
    small, large = [quote(market, Order(side=side, qty=market.max_qty * part)) for part in sorted([one, other])]
    assert small.slippage_bps <= large.slippage_bps
    assert small.fill_time_min <= large.fill_time_min
    assert small.partial_fill_risk <= large.partial_fill_risk


@given(MARKETS, SHARES)
def test_buying_and_selling_at_the_market_mirror_each_other(market: Market, share: float) -> None:
    bought, sold = [quote(market, Order(side=side, qty=market.max_qty * share)) for side in ("buy", "sell")]
    assert replace(bought, expected_price=sold.expected_price) == sold
    assert (bought.expected_price + sold.expected_price) / 2 == pytest.approx(market.mid)
    assert sold.expected_price <= market.mid <= bought.expected_price
    assert bought.slippage_bps >= 0


@given(MARKETS, SIDES, SHARES, st.floats(0.1, 10))
def test_a_limit_order_is_never_worse_than_its_limit(market: Market, side: Any, share: float, ratio: float) -> None:
    limit = market.mid * ratio
    quoted = quote(market, Order(side=side, qty=market.max_qty * share, kind="limit", price=limit))
    assert quoted.expected_price <= limit if side == "buy" else quoted.expected_price >= limit


@given(MARKETS, SIDES, SHARES, st.floats(0.5, 2), st.floats(0.5, 2))
def test_a_worse_limit_is_reached_more_probably(
    market: Market, side: Any, share: float, one: float, other: float
) -> None:
    better, worse = sorted([one, other], reverse=side == "sell")
    orders = [
        Order(side=side, qty=market.max_qty * share, kind="limit", price=market.mid * ratio)
        for ratio in (better, worse)
    ]
    first, second = [quote(market, order) for order in orders]
    assert first.fill_probability <= second.fill_probability


@given(MARKETS, SIDES, SHARES)
def test_twice_the_volume_lowers_the_impact(market: Market, side: Any, share: float) -> None:
    assume(market.volatility > 0)
    order = Order(side=side, qty=market.max_qty * share)
    one, twice = quote(market, order), quote(replace(market, volume=2 * market.volume), order)
    assert twice.permanent_bps == pytest.approx(one.permanent_bps / math.sqrt(2))
    assert twice.liquidity_score > one.liquidity_score


@st.composite
def draw_bars(draw: st.DrawFn) -> Sequence[Bar]:
    """Draw bars whose prices lie between their lows and highs, as a store may hold them."""
    found = []
    for minute in range(draw(st.integers(30, 60))):
        low, close, high = sorted(draw(st.tuples(*[st.floats(90, 110)] * 3)))
        found.append(Bar(START + timedelta(minutes=minute), close, high, low, close, draw(st.floats(0, 1e6))))
    return found


@given(draw_bars())
def test_a_market_has_a_spread_and_equal_bars_give_equal_markets(bars: Sequence[Bar]) -> None:
    market = estimate_market(bars)
    assert market.spread >= 0.00005
    assert market.volatility >= 0
    assert estimate_market(list(bars)) == market
