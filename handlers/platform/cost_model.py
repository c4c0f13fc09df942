"""The cost of an order, estimated from the bars before it: a pure function of both.

Volatilities are standard deviations of logarithmic returns a minute, volumes are of the base currency. Costs are
fractions of the price; only the records of a quote have basis points.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Literal, TypeAlias

from handlers.candles.store import Bar
from handlers.platform.first_passage import hitting_probability, mean_hitting_time

Side: TypeAlias = Literal["buy", "sell"]
Regime: TypeAlias = Literal["low", "normal", "high", "extreme"]

WINDOW_MIN = 60
"""The minutes before an order from which its market is estimated: a choice of ours."""
LEAST_BARS = 30
"""The fewest bars of that window: half of it, a choice of ours."""
HORIZON_MIN = 60
"""The minutes that an order rests before it lapses: a choice of ours."""
LEAST_SPREAD = 0.5e-4
"""The least spread: a choice of ours.

The estimate is zero when noise hides the spread.
"""
IMPACT = 1.0
"""The constant Y of the square-root law, "of order unity" (Tóth et al. 2011)."""
PERMANENT = 2 / 3
"""The part of the peak impact that remains (Farmer, Gerig, Lillo and Waelbroeck 2013)."""
PARTICIPATION = 0.1
"""The largest part of the traded volume that one order may be: a choice of ours."""
MINUTES_A_DAY = 1440
MINUTES_A_YEAR = 365 * MINUTES_A_DAY
"""The pairs are traded round the clock."""
REGIMES: tuple[tuple[float, Regime], ...] = ((0.2, "low"), (0.6, "normal"), (1.2, "high"), (math.inf, "extreme"))
"""Annualised volatilities below which a regime lies: a choice of ours."""
BPS = 10_000


class InsufficientLiquidity(Exception):
    """The market cannot take the order, but *max_qty* of it."""

    def __init__(self, max_qty: float) -> None:
        super().__init__(f"at most {max_qty:.6g}")
        self.max_qty = max_qty


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order."""

    side: Side
    qty: float
    kind: Literal["market", "limit", "stop"] = "market"
    price: float | None = None
    """The limit of a limit order, the trigger of a stop order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Market:
    """The state of a market."""

    mid: float
    """The price between bid and ask."""
    spread: float
    """The difference of ask and bid, as a fraction of the mid price."""
    volatility: float
    """The standard deviation of a minute's logarithmic return."""
    volume: float
    """The mean volume of a minute."""

    @property
    def max_qty(self) -> float:
        """The largest quantity that the market takes before an order lapses."""
        return PARTICIPATION * self.volume * HORIZON_MIN

    @property
    def regime(self) -> Regime:
        """The regime of the annualised volatility."""
        annual = self.volatility * math.sqrt(MINUTES_A_YEAR)
        return next(name for bound, name in REGIMES if annual < bound)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """The expected execution of an order."""

    expected_price: float
    slippage_bps: float
    """The cost against the mid price, or against the trigger of a resting stop order.

    A gain is negative.
    """
    permanent_bps: float
    temporary_bps: float
    total_cost_bps: float
    """Half the spread and both parts of the impact."""
    fill_probability: float
    fill_time_min: float
    """The expected minutes to the last fill, of an order that is filled."""
    liquidity_score: float
    """1 without any share of the largest quantity, 0 with all of it."""
    partial_fill_risk: float


def estimate_market(bars: Sequence[Bar]) -> Market:
    """Return the market after *bars*, at least two of WINDOW_MIN minutes, oldest first."""
    return Market(
        mid=bars[-1].close,
        spread=max(estimate_spread(bars), LEAST_SPREAD),
        volatility=estimate_volatility(bars),
        volume=math.fsum(bar.volume for bar in bars) / WINDOW_MIN,
    )


def estimate_spread(bars: Sequence[Bar]) -> float:
    """Return the effective spread as a fraction of the price (Abdi and Ranaldo 2017).

    It is 2 √max(0, mean of (c_t - η_t)(c_t - η_t+1)), with the log close c and the mean η of log high and log low.
    """
    closes = [math.log(bar.close) for bar in bars]
    middles = [(math.log(bar.high) + math.log(bar.low)) / 2 for bar in bars]
    products = ((close - now) * (close - after) for close, (now, after) in zip(closes, pairwise(middles), strict=False))
    return 2 * math.sqrt(max(0.0, fmean(products)))


def estimate_volatility(bars: Sequence[Bar]) -> float:
    """Return the volatility of a bar, √(mean of ln(high / low)² / (4 ln 2)) (Parkinson 1980)."""
    return math.sqrt(fmean(math.log(bar.high / bar.low) ** 2 for bar in bars) / (4 * math.log(2)))


def peak_impact(market: Market, qty: float) -> float:
    """Return the shift of the price at the last fill of an order, Y sigma √(Q / V).

    Volatility and volume are those of a day (Tóth et al. 2011).
    """
    day_volatility = market.volatility * math.sqrt(MINUTES_A_DAY)
    return IMPACT * day_volatility * math.sqrt(qty / (market.volume * MINUTES_A_DAY))


def quote(market: Market, order: Order) -> Quote:
    """Return the expected execution of *order*, which is charged the price of its last fill.

    An order is executed from the moment at which a market order would be within its price. Raises
    InsufficientLiquidity if it is larger than the market takes, or would cost as much as the price itself.
    """
    share = order.qty / market.max_qty if market.max_qty else math.inf
    cost = market.spread / 2 + (impact := peak_impact(market, order.qty) if share <= 1 else math.inf)
    if cost >= 1:
        raise InsufficientLiquidity(market.max_qty)
    expected, slippage, distance = _place(market, order, cost)
    deviation = market.volatility * math.sqrt(HORIZON_MIN)
    probability = hitting_probability(distance, deviation)
    return Quote(
        expected_price=expected,
        slippage_bps=slippage * BPS,
        permanent_bps=PERMANENT * impact * BPS,
        temporary_bps=(1 - PERMANENT) * impact * BPS,
        total_cost_bps=cost * BPS,
        fill_probability=probability,
        fill_time_min=HORIZON_MIN * (mean_hitting_time(distance, deviation) + share),
        liquidity_score=1 - share,
        partial_fill_risk=1 - probability * (1 - share),
    )


def _place(market: Market, order: Order, cost: float) -> tuple[float, float, float]:
    """Return expected price, slippage, and the logarithmic distance to the first fill."""
    sign, mid = 1 if order.side == "buy" else -1, market.mid
    at_once = mid * (1 + sign * cost)
    price = order.price
    if order.kind == "limit" and price is not None and sign * (at_once - price) > 0:
        return price, sign * (price / mid - 1), sign * (math.log(at_once) - math.log(price))
    if order.kind == "stop" and price is not None and sign * (price - mid) > 0:
        return price * (1 + sign * cost), cost, sign * (math.log(price) - math.log(mid))
    return at_once, cost, 0.0
