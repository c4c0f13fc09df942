"""The check of position limits on a real PostgreSQL, against plain Python."""

import asyncio
import itertools
import math
import re
import secrets
import string
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from generated.platform.errors import MissingConfiguration
from generated.platform.risk.models import RiskPositionLimitsCheckRequest, RiskPositionLimitsCheckResult
from generated.platform.risk.server import RiskCall
from handlers.platform.risk import direction_of_side, risk_position_limits_check
from tests.handlers.platform.conftest import NOW
from toolaccord.sources.postgresql import PostgresqlError

DAY = timedelta(days=1)
HISTORY = 80
"""Prices that an instrument has."""
REST = (frozenset({0, 1, 2}), frozenset({4, 5, 6}))
"""Days of rest of two markets that have one trading day in common, Thursday."""
QUANTILE = 1.6448536269514722


def trading_days(count: int = HISTORY, newest: datetime = NOW, rest: frozenset[int] = frozenset({5, 6})) -> list[date]:
    """Return the newest days that are not days of *rest*, 0 being Monday."""
    days = ((newest - age * DAY).date() for age in itertools.count())
    return list(itertools.islice((day for day in days if day.weekday() not in rest), count))


def new_symbol() -> str:
    """Return a symbol that no other test uses."""
    return "".join(secrets.choice(string.ascii_uppercase) for _ in range(6))


def walk(last: float) -> list[float]:
    """Return prices, the newest first: they go up and down by some percent."""
    return [round(last * (1 + 0.03 * math.sin(age * age)), 4) if age else last for age in range(HISTORY)]


async def add_instrument(
    call: RiskCall, prices: list[float], days: Sequence[date] | None = None, **columns: Any
) -> str:
    """Write an instrument with its prices, the newest first, and return its symbol.

    Without *days* it has none of a weekend.
    """
    symbol = new_symbol()
    row = {"symbol": symbol} | columns
    places = ", ".join(f"${place}" for place in range(1, len(row) + 1))
    await call.postgres.fetch(f"INSERT INTO instruments ({', '.join(row)}) VALUES ({places})", *row.values())
    statement = "INSERT INTO instrument_prices SELECT $1, * FROM unnest($2::date[], $3::numeric[])"
    await call.postgres.fetch(statement, symbol, days or trading_days(len(prices)), prices)
    return symbol


async def add_portfolio(call: RiskCall, limits: Mapping[str, float], held: Mapping[str, float] | None = None) -> str:
    """Write a portfolio and return its identifier."""
    portfolio = f"portfolio_{secrets.token_hex(6)}"
    for kind, threshold in limits.items():
        statement = (
            "INSERT INTO portfolio_limits (portfolio_id, rule_name, limit_type, threshold) VALUES ($1, $2, $2, $3)"
        )
        await call.postgres.fetch(statement, portfolio, kind, threshold)
    for symbol, quantity in (held or {}).items():
        await call.postgres.fetch("INSERT INTO portfolio_positions VALUES ($1, $2, $3)", portfolio, symbol, quantity)
    return portfolio


async def check(
    call: RiskCall, portfolio: str, symbol: str, quantity: float = 1, **more: Any
) -> RiskPositionLimitsCheckResult:
    arguments = {"portfolio_id": portfolio, "symbol": symbol, "quantity": quantity, "direction": "long"} | more
    return await risk_position_limits_check(RiskPositionLimitsCheckRequest.model_validate(arguments), call)


def value_at_risk(held: Mapping[str, float], prices: Mapping[str, list[float]], days: int) -> float:
    """Return the 95 % value at risk, from the profit of each of the last 74 trading days."""
    profits = [
        sum(
            units * prices[symbol][0] * (prices[symbol][age] / prices[symbol][age + 1] - 1)
            for symbol, units in held.items()
        )
        for age in range(74)
    ]
    weights = [0.94**age for age in range(74)]
    variance = sum(weight * profit**2 for weight, profit in zip(weights, profits, strict=True)) / sum(weights)
    return QUANTILE * math.sqrt(days * variance)


@pytest.mark.parametrize("horizon, days", [("intraday", 1), ("swing", 10)])
async def test_every_figure_is_what_plain_python_finds(risk_call: RiskCall, horizon: str, days: int) -> None:
    prices = {}
    for last, group in ((20.0, "one"), (50.0, "one"), (400.0, None)):
        symbol = await add_instrument(risk_call, walk(last), correlation_group=group)
        prices[symbol] = walk(last)
    first, second, third = prices
    held = {first: 100.0, second: -60.0, third: 10.0}
    limits = {
        "position_limit_per_symbol": 1000, "max_position_value": 50_000, "max_total_exposure": 200_000,
        "max_concentration": 0.9, "max_correlated_exposure": 8000, "max_value_at_risk": 10_000,
    }  # fmt: skip
    portfolio = await add_portfolio(risk_call, limits, held)
    found = await check(risk_call, portfolio, first, 50, time_horizon=horizon)
    after = held | {first: 150.0}
    risk_before, risk_after = value_at_risk(held, prices, days), value_at_risk(after, prices, days)
    gross = 150 * 20 + 60 * 50 + 10 * 400
    values = {
        "position_limit_per_symbol": 150, "max_position_value": 3000, "max_total_exposure": gross,
        "max_concentration": 3000 / gross, "max_correlated_exposure": 6000, "max_value_at_risk": risk_after,
    }  # fmt: skip
    assert {each.limit_type: each.current_value for each in found.limits_applied} == pytest.approx(values, rel=1e-9)
    assert {each.limit_type: each.threshold for each in found.limits_applied} == limits
    assert found.allowed
    assert found.risk_metrics.var_impact == pytest.approx(risk_after - risk_before, rel=1e-9)
    assert found.risk_metrics.portfolio_exposure == gross
    assert found.risk_metrics.instrument_concentration == pytest.approx(3000 / gross)
    assert found.risk_metrics.position_utilization == pytest.approx(0.75)
    assert found.max_quantity == 150  # 8000 of correlated exposure, less 2000 and 3000 that are held


def alternating(newest: float, count: int = HISTORY) -> list[float]:
    """Return prices that go up and down by one percent, the newest first."""
    prices = [newest]
    for place in range(count - 1):
        prices.append(prices[-1] / (1 + 0.01 * (-1) ** place))
    return prices


async def test_value_at_risk_of_a_market_with_weekends_counts_its_trading_days_only(risk_call: RiskCall) -> None:
    symbol = await add_instrument(risk_call, alternating(98.507))
    portfolio = await add_portfolio(risk_call, {"max_value_at_risk": 1450})
    found = await check(risk_call, portfolio, symbol, 1000)
    assert not found.allowed
    assert found.limits_applied[0].current_value == pytest.approx(1000 * 98.507 * 0.01 * QUANTILE, rel=1e-9)
    assert round(found.limits_applied[0].current_value, 1) == 1620.3


@pytest.mark.parametrize("age", range(7))
async def test_value_at_risk_does_not_depend_on_the_weekday_of_the_call(risk_call: RiskCall, age: int) -> None:
    moment = NOW - age * DAY
    symbol = await add_instrument(risk_call, alternating(100.0), trading_days(newest=moment))
    portfolio = await add_portfolio(risk_call, {"max_value_at_risk": 1450})
    found = await check(replace(risk_call, now=moment), portfolio, symbol, 1)
    assert found.risk_metrics.var_impact == pytest.approx(QUANTILE, rel=1e-9)


async def test_a_weekend_after_the_newest_price_changes_no_figure(risk_call: RiskCall) -> None:
    symbol = await add_instrument(risk_call, walk(10.0))
    portfolio = await add_portfolio(risk_call, {"max_value_at_risk": 5, "max_position_value": 100})
    friday, saturday, sunday = [
        await check(replace(risk_call, now=NOW + age * DAY), portfolio, symbol, 3) for age in (-1, 0, 1)
    ]
    assert friday == saturday == sunday


async def test_markets_with_other_weekends_correlate_over_the_days_they_share(risk_call: RiskCall) -> None:
    week, always = trading_days(75), trading_days(75, rest=frozenset())
    prices = {week[0]: walk(20.0)[:75], always[0]: walk(400.0)[:75]}
    share, coin = [await add_instrument(risk_call, prices[days[0]], days) for days in (week, always)]
    portfolio = await add_portfolio(risk_call, {"max_value_at_risk": 1e6}, {coin: 2})
    found = await check(risk_call, portfolio, share, 30)
    of_share, of_coin = [dict(zip(days, prices[days[0]], strict=True)) for days in (week, always)]
    common = [day for day in always if day in of_share]
    assert len(common) == 54
    correlation = mean_product(of_share, of_coin, common) / math.sqrt(
        mean_product(of_share, of_share, common) * mean_product(of_coin, of_coin, common)
    )
    first = 600 * math.sqrt(mean_product(of_share, of_share, week))
    second = 800 * math.sqrt(mean_product(of_coin, of_coin, always))
    both = math.sqrt(first**2 + second**2 + 2 * correlation * first * second)
    assert found.limits_applied[0].current_value == pytest.approx(QUANTILE * both, rel=1e-9)
    assert found.risk_metrics.var_impact == pytest.approx(QUANTILE * (both - second), rel=1e-9)


def mean_product(one: Mapping[date, float], other: Mapping[date, float], days: Sequence[date]) -> float:
    """Return the weighted mean of the products of returns, from each of *days* to the next."""
    pairs = list(itertools.pairwise(days))
    products = [(one[new] / one[old] - 1) * (other[new] / other[old] - 1) for new, old in pairs]
    weights = [0.94**age for age in range(len(pairs))]
    return sum(weight * product for weight, product in zip(weights, products, strict=True)) / sum(weights)


async def test_given_positions_replace_the_stored_ones(risk_call: RiskCall) -> None:
    symbol, other = [await add_instrument(risk_call, walk(10.0)) for _ in range(2)]
    portfolio = await add_portfolio(risk_call, {"max_position_value": 1000}, {symbol: 90, other: 5})
    assert (await check(risk_call, portfolio, symbol)).max_quantity == 10
    given = await check(risk_call, portfolio, symbol, current_positions={symbol: 30.5, other: 0, new_symbol(): 0})
    assert (given.max_quantity, given.risk_metrics.portfolio_exposure) == (69.5, 315)
    nothing = await check(risk_call, portfolio, symbol, current_positions={})
    assert (nothing.max_quantity, nothing.risk_metrics.portfolio_exposure) == (100, 10)


async def test_stored_positions_that_were_replaced_need_no_prices(risk_call: RiskCall) -> None:
    symbol, old = await add_instrument(risk_call, walk(10.0)), await add_instrument(risk_call, [])
    portfolio = await add_portfolio(risk_call, {"max_position_value": 1000}, {old: 5})
    assert (await missing(risk_call, portfolio, symbol)).details == {"missing": "price", "name": old}
    assert (await check(risk_call, portfolio, symbol, current_positions={})).allowed


async def test_a_limit_of_the_symbol_replaces_that_of_the_portfolio(risk_call: RiskCall) -> None:
    symbol, other = [await add_instrument(risk_call, walk(10.0)) for _ in range(2)]
    portfolio = await add_portfolio(risk_call, {"position_limit_per_symbol": 5})
    statement = "INSERT INTO portfolio_limits VALUES ($1, 'own', 'position_limit_per_symbol', $2, 7)"
    await risk_call.postgres.fetch(statement, portfolio, symbol)
    found = await check(risk_call, portfolio, symbol)
    assert [(each.rule_name, each.threshold) for each in found.limits_applied] == [("own", 7)]
    assert (await check(risk_call, portfolio, other)).max_quantity == 5


async def test_a_rejection_names_each_violated_rule_with_its_value(risk_call: RiskCall) -> None:
    symbol = await add_instrument(risk_call, walk(10.0))
    portfolio = await add_portfolio(
        risk_call, {"max_position_value": 75, "position_limit_per_symbol": 3, "max_total_exposure": 1000}
    )
    found = await check(risk_call, portfolio, symbol, 8)
    assert (found.allowed, found.max_quantity) == (False, 3)
    assert found.reason == (
        "The order would bring max_position_value to 80, above its 75; position_limit_per_symbol to 8, above its 3."
    )


async def test_the_largest_quantity_is_a_multiple_of_the_instruments_step(risk_call: RiskCall) -> None:
    symbol = await add_instrument(risk_call, walk(7.0), quantity_step=0.25)
    portfolio = await add_portfolio(risk_call, {"max_position_value": 100})
    found = await check(risk_call, portfolio, symbol)
    assert found.max_quantity == 14.25
    assert (await check(risk_call, portfolio, symbol, found.max_quantity)).allowed
    assert not (await check(risk_call, portfolio, symbol, 14.5)).allowed


async def test_a_short_order_takes_units_away(risk_call: RiskCall) -> None:
    symbol = await add_instrument(risk_call, walk(10.0))
    portfolio = await add_portfolio(risk_call, {"max_position_value": 100}, {symbol: 4})
    found = await check(risk_call, portfolio, symbol, 6, direction="short")
    assert (found.risk_metrics.portfolio_exposure, found.max_quantity) == (20, 14)


@pytest.mark.parametrize("side, direction", [("buy", "long"), ("long", "long"), ("sell", "short"), ("short", "short")])
async def test_each_older_side_has_its_direction(risk_call: RiskCall, side: str, direction: str) -> None:
    assert await direction_of_side(side, risk_call) == direction


# --- missing configuration -------------------------------------------------------------------------------------------


async def missing(call: RiskCall, portfolio: str, symbol: str, **more: Any) -> MissingConfiguration:
    """Return the error of a check."""
    with pytest.raises(MissingConfiguration) as caught:
        await check(call, portfolio, symbol, **more)
    return caught.value


async def test_a_portfolio_without_limits_is_a_missing_configuration(risk_call: RiskCall) -> None:
    error = await missing(risk_call, "nobody", await add_instrument(risk_call, walk(1.0)))
    assert error.details == {"missing": "limits", "name": "nobody"}


async def test_an_instrument_without_current_prices_or_history_is_a_missing_configuration(risk_call: RiskCall) -> None:
    known = await add_instrument(risk_call, walk(10.0))
    portfolio = await add_portfolio(risk_call, {"max_position_value": 100})
    new, unknown = await add_instrument(risk_call, walk(10.0)[:20]), new_symbol()
    old = await add_instrument(risk_call, [])
    days = [(NOW - age * DAY).date() for age in range(8, 60)]
    await risk_call.postgres.fetch("INSERT INTO instrument_prices SELECT $1, unnest($2::date[]), 5", old, days)
    for symbol, lacking in ((new, "price_history"), (old, "price"), (unknown, "instrument")):
        assert (await missing(risk_call, portfolio, symbol)).details == {"missing": lacking, "name": symbol}
        error = await missing(risk_call, portfolio, known, current_positions={symbol: 1})
        assert error.details == {"missing": lacking, "name": symbol}


async def test_twenty_returns_and_a_price_of_a_week_ago_are_enough(risk_call: RiskCall) -> None:
    symbol = await add_instrument(risk_call, [])
    days = [(NOW - age * DAY).date() for age in range(7, 28)]
    await risk_call.postgres.fetch("INSERT INTO instrument_prices SELECT $1, unnest($2::date[]), 5", symbol, days)
    portfolio = await add_portfolio(risk_call, {"max_position_value": 100})
    assert (await check(risk_call, portfolio, symbol)).max_quantity == 20


async def test_instruments_that_share_too_few_days_are_a_missing_configuration(risk_call: RiskCall) -> None:
    middle, end = [await add_instrument(risk_call, walk(10.0)[:30], trading_days(30, rest=rest)) for rest in REST]
    portfolio = await add_portfolio(risk_call, {"max_position_value": 100}, {middle: 1})
    assert (await missing(risk_call, portfolio, end)).details == {"missing": "price_history", "name": portfolio}
    assert (await check(risk_call, portfolio, end, current_positions={middle: 0})).allowed


async def test_prices_of_tomorrow_are_not_read(risk_call: RiskCall) -> None:
    symbol = await add_instrument(risk_call, walk(10.0))
    await risk_call.postgres.fetch("INSERT INTO instrument_prices VALUES ($1, $2, 99)", symbol, (NOW + DAY).date())
    portfolio = await add_portfolio(risk_call, {"max_position_value": 100})
    assert (await check(risk_call, portfolio, symbol)).max_quantity == 10


# --- the snapshot -----------------------------------------------------------------------------------------------------


async def test_positions_limits_and_prices_are_those_of_one_moment(risk_call: RiskCall, risk_url: str) -> None:
    symbol = await add_instrument(risk_call, walk(10.0))
    portfolio = await add_portfolio(risk_call, {"max_position_value": 1000}, {symbol: 1})
    writer: asyncpg.Connection = await asyncpg.connect(risk_url)

    async def write() -> None:
        for factor in (2, 1) * 40:  # the threshold is always a thousand times what is held
            async with writer.transaction():
                await writer.execute(
                    "UPDATE portfolio_positions SET quantity = $2 WHERE portfolio_id = $1", portfolio, factor
                )
                await writer.execute(
                    "UPDATE portfolio_limits SET threshold = $2 WHERE portfolio_id = $1", portfolio, factor * 1000
                )

    writing = asyncio.create_task(write())
    found = set()
    while not writing.done():
        answer = await check(risk_call, portfolio, symbol, 3)
        (limit,) = answer.limits_applied
        found.add((limit.threshold, limit.current_value))
    await writing
    await writer.close()
    assert found <= {(1000, 40), (2000, 50)}


@pytest.mark.parametrize(
    "statement, constraint",
    [
        ("INSERT INTO instruments VALUES ('eur', NULL, 1)", "instruments_symbol_check"),
        ("INSERT INTO instruments VALUES ('ABC', NULL, 0)", "instruments_quantity_step_check"),
        ("INSERT INTO instruments VALUES ('ABC', NULL, 'NaN')", "instruments_quantity_step_check"),
        ("INSERT INTO instrument_prices VALUES ('{symbol}', 'infinity', 1)", "instrument_prices_day_check"),
        ("INSERT INTO instrument_prices VALUES ('{symbol}', '1999-01-01', 0)", "instrument_prices_price_check"),
        ("INSERT INTO instrument_prices VALUES ('{symbol}', '1999-01-01', 'NaN')", "instrument_prices_price_check"),
        ("INSERT INTO instrument_prices VALUES ('ZZZ', '1999-01-01', 1)", "instrument_prices_symbol_fkey"),
        ("INSERT INTO portfolio_positions VALUES ('p', '{symbol}', 'NaN')", "portfolio_positions_quantity_check"),
        ("INSERT INTO portfolio_positions VALUES ('a b', '{symbol}', 1)", "portfolio_positions_portfolio_id_check"),
        ("INSERT INTO portfolio_limits VALUES ('p', 'r', 'max_luck', NULL, 1)", "portfolio_limits_limit_type_check"),
        (
            "INSERT INTO portfolio_limits VALUES ('p', 'r', 'max_position_value', NULL, -1)",
            "portfolio_limits_threshold_check",
        ),
        ("INSERT INTO portfolio_limits VALUES ('p', 'r', 'max_concentration', NULL, 30)", "portfolio_limits_check"),
    ],
)
async def test_the_schema_rejects_what_no_check_can_use(risk_call: RiskCall, statement: str, constraint: str) -> None:
    symbol = await add_instrument(risk_call, walk(10.0))
    with pytest.raises(PostgresqlError) as caught:
        await risk_call.postgres.fetch(statement.format(symbol=symbol))
    assert caught.value.constraint == constraint


async def test_a_portfolio_has_one_limit_of_each_type(risk_call: RiskCall) -> None:
    portfolio = await add_portfolio(risk_call, {"max_position_value": 100})
    statement = "INSERT INTO portfolio_limits VALUES ($1, 'again', 'max_position_value', NULL, 1)"
    with pytest.raises(PostgresqlError, match=re.escape("portfolio_limits_portfolio_id_limit_type_symbol_key")):
        await risk_call.postgres.fetch(statement, portfolio)
