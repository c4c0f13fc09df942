"""The tool of execution-mcp: quotes of orders, simulated on the candles before them."""

from datetime import UTC, datetime, timedelta
from decimal import ROUND_DOWN, Context

from generated.platform import errors
from generated.platform.execution.models import (
    ExecutionEstimate,
    ExecutionSimQuoteRequest,
    ExecutionSimQuoteResult,
    MarketConditions,
    MarketImpact,
)
from generated.platform.execution.server import ExecutionCall
from handlers.candles.store import CandleStore
from handlers.platform.cost_model import (
    BPS,
    LEAST_BARS,
    WINDOW_MIN,
    InsufficientLiquidity,
    Market,
    Order,
    Quote,
    estimate_market,
    quote,
)

MINUTE_MS = 60_000
WINDOW = timedelta(minutes=WINDOW_MIN)
FIRST = datetime(1970, 1, 1, tzinfo=UTC)
"""No store has older candles."""


async def execution_sim_quote(request: ExecutionSimQuoteRequest, call: ExecutionCall) -> ExecutionSimQuoteResult:
    """Return the expected execution of an order, from the bars of the hour before its time."""
    order = _read_order(request)
    end = request.timestamp
    if end > call.now:
        raise errors.InvalidArguments("timestamp is in the future; give a time that has passed.", field="timestamp")
    instrument, start = request.instrument, max(FIRST, end - WINDOW) if end > FIRST else end
    bars = await CandleStore(call.influxdb).between(instrument, "1m", start, end)
    if len(bars) < LEAST_BARS:
        raise errors.InsufficientData(
            f"{instrument} has {len(bars)} candles in the hour before the order, and {LEAST_BARS} are needed.",
            available=len(bars),
            required=LEAST_BARS,
        )
    market = estimate_market(bars)
    try:
        return _write_result(market, quote(market, order))
    except InsufficientLiquidity as error:
        raise errors.InsufficientLiquidity(_write_most(instrument, error.max_qty), max_qty=error.max_qty) from None


def _write_most(instrument: str, max_qty: float) -> str:
    """Return a sentence with a quantity that the market takes: rounded up, it would be rejected."""
    if not max_qty:
        return f"{instrument} was not traded in the hour before the order; give another timestamp."
    most = Context(prec=6, rounding=ROUND_DOWN).create_decimal_from_float(max_qty)
    return f"{instrument} takes {most:f} within an hour; give at most that as qty."


def _read_order(request: ExecutionSimQuoteRequest) -> Order:
    """Return the order of *request*. Raises InvalidArguments for a missing or needless price."""
    prices = {"limit": request.limit_price, "stop": request.stop_price}
    for kind, price in prices.items():
        if (price is not None) != (kind == request.order_type):
            needs = "needs" if kind == request.order_type else "has no"
            field = f"{kind}_price"
            raise errors.InvalidArguments(f"A {request.order_type} order {needs} {field}.", field=field)
    return Order(side=request.side, qty=request.qty, kind=request.order_type, price=prices.get(request.order_type))


def _write_result(market: Market, quoted: Quote) -> ExecutionSimQuoteResult:
    half_spread = market.mid * market.spread / 2
    return ExecutionSimQuoteResult(
        expected_price=quoted.expected_price,
        slippage_bps=quoted.slippage_bps,
        market_impact=MarketImpact(
            permanent_bps=quoted.permanent_bps,
            temporary_bps=quoted.temporary_bps,
            total_cost_bps=quoted.total_cost_bps,
        ),
        execution_estimate=ExecutionEstimate(
            fill_probability=quoted.fill_probability,
            expected_fill_time_ms=round(quoted.fill_time_min * MINUTE_MS),
            partial_fill_risk=quoted.partial_fill_risk,
        ),
        market_conditions=MarketConditions(
            bid_price=market.mid - half_spread,
            ask_price=market.mid + half_spread,
            spread_bps=market.spread * BPS,
            liquidity_score=quoted.liquidity_score,
            volatility_regime=market.regime,
        ),
    )
