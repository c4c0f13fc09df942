from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, TypeAlias
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generated.tradestream.errors import AccountNotFound, InsufficientBalance
from generated.tradestream.portfolio.models import (
    GetBalanceRequest,
    GetPositionsRequest,
    OversizedTradeAnswer,
    Position,
    ValidateTradeRequest,
    ValidateTradeResult,
)
from generated.tradestream.portfolio.server import PortfolioCall, PortfolioSettings, server
from handlers.tradestream import portfolio as handlers
from handlers.tradestream.portfolio import get_balance, get_positions, validate_trade
from tests.handlers.tradestream.rows import insert, to_records, walk
from tests.services.tasks import Work, working
from toolaccord import Accepted, Cancelled, Declined, Page
from toolaccord.sources.postgresql import Postgresql
from toolaccord.testing import ManualClock, pipeline

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
Side: TypeAlias = Literal["BUY", "SELL"]
SHAPES = ("indicators", "entry_conditions", "exit_conditions", "parameters")


@pytest.fixture
async def call(postgres: Postgresql) -> PortfolioCall:
    """A call about an account of this test: 1000 in all, 800 of it available."""
    account = f"account of {uuid4()}"
    await insert(postgres, "accounts", account_id=account, total_balance=1000, available_balance=800, margin_used=200)
    configured = PortfolioSettings(account_id=account)
    return PortfolioCall(postgres=postgres, settings=configured, now=NOW, ask=Trader(None))


class Trader:
    """Answers what a trader is asked; one that cannot be asked, with None, has declined."""

    def __init__(self, answer: Accepted[OversizedTradeAnswer] | Declined | Cancelled | None) -> None:
        self.answer = answer
        self.asked: list[tuple[str, float]] = []

    def supports(self, *_names: str) -> bool:
        return self.answer is not None

    async def oversized_trade(
        self, *, side: str, size: float, symbol: str, reason: str, max_size: float
    ) -> Accepted[OversizedTradeAnswer] | Declined | Cancelled:
        if self.answer is None:
            return Declined()
        assert "more than 10% of the available balance" in reason
        self.asked.append((f"{side} {size:g} {symbol}", max_size))
        return self.answer


async def hold(call: PortfolioCall, symbol: str, **values: Any) -> UUID:
    """Write a position of the call's account, with defaults, and return its identifier."""
    usual = {"side": "LONG", "size": 1, "entry_price": 10, "current_price": 10, "opened_at": NOW - HOUR}
    account = {"account_id": call.settings.account_id, "symbol": symbol}
    row = await insert(call.postgres, "positions", **account, **(usual | values))
    found: UUID = row["position_id"]
    return found


async def signal(call: PortfolioCall, symbol: str, price: float, at: datetime) -> None:
    """A price that a strategy saw."""
    shapes: dict[str, list[Any]] = {name: [] for name in SHAPES}
    spec = await insert(call.postgres, "strategy_specs", name=f"SPEC {uuid4()}", source="CANONICAL", **shapes)
    implementation = await insert(
        call.postgres, "strategy_implementations", spec_id=spec["spec_id"], symbol=symbol, parameters={}
    )
    strategy = await insert(
        call.postgres, "strategies", impl_id=implementation["impl_id"], symbol=symbol, name="A strategy"
    )
    saw = {"signal": "BUY", "confidence": 0.5, "price": price, "parameters": {}, "triggered_at": at}
    await insert(call.postgres, "signals", strategy_id=strategy["strategy_id"], symbol=symbol, **saw)


async def positions(call: PortfolioCall, **arguments: Any) -> Page[Position]:
    return to_records(Position, await get_positions(GetPositionsRequest(**arguments), call))


async def assess_trade(
    call: PortfolioCall, symbol: str, side: Side, size: float, price: float | None = None
) -> ValidateTradeResult:
    return await validate_trade(ValidateTradeRequest(symbol=symbol, side=side, size=size, price=price), call)


# --- get_positions -----------------------------------------------------------------------------------------------------


async def test_a_position_is_returned_as_stored(call: PortfolioCall) -> None:
    await hold(call, "AAA/USD", size=Decimal("2.5"), entry_price=Decimal("3012.4"), current_price=3100)
    (item,) = (await positions(call)).items
    assert item == Position(
        symbol="AAA/USD",
        side="LONG",
        size=2.5,
        entry_price=3012.4,
        current_price=3100,
        unrealized_pnl=219,
        opened_at=NOW - HOUR,
    )


async def test_a_long_gains_what_a_short_loses(call: PortfolioCall) -> None:
    for side in ("LONG", "SHORT"):
        await hold(call, f"{side}/USD", side=side, size=Decimal("0.3"), entry_price=Decimal("0.1"), current_price=1)
    gained = {item.side: item.unrealized_pnl for item in (await positions(call)).items}
    assert gained == {"LONG": 0.27, "SHORT": -0.27}


async def test_only_what_is_open_and_the_accounts_own_is_listed(call: PortfolioCall) -> None:
    other = replace(call, settings=PortfolioSettings(account_id="another"))
    await insert(call.postgres, "accounts", account_id="another", total_balance=1, available_balance=1, margin_used=0)
    await hold(other, "AAB/USD")
    await hold(call, "AAC/USD", closed_at=NOW)
    await hold(call, "AAD/USD")
    assert [item.symbol for item in (await positions(call)).items] == ["AAD/USD"]
    assert (await positions(call)).total == 1


async def test_a_symbol_narrows_the_list_and_its_total(call: PortfolioCall) -> None:
    for symbol in ("AAE/USD", "AAF/USD", "AAE/USD"):
        await hold(call, symbol)
    page = await positions(call, symbol="AAE/USD", limit=1)
    assert ([item.symbol for item in page.items], page.total) == (["AAE/USD"], 2)
    assert await positions(call, symbol="ZZZ/USD") == Page([], 0)


async def test_the_position_opened_last_comes_first(call: PortfolioCall) -> None:
    for hours in (3, 1, 2):
        await hold(call, f"H{hours}/USD", opened_at=NOW - hours * HOUR)
    assert [item.symbol for item in (await positions(call)).items] == ["H1/USD", "H2/USD", "H3/USD"]


async def test_a_page_past_the_end_is_empty_and_still_knows_the_total(call: PortfolioCall) -> None:
    await hold(call, "AAG/USD")
    assert await positions(call, offset=1_000_000) == Page([], 1)
    assert await positions(call, offset=5, symbol="AAG/USD") == Page([], 1)


@pytest.fixture
async def crowded(call: PortfolioCall) -> PortfolioCall:
    """An account with many positions that were opened at the same times."""
    for number in range(40):
        await hold(call, f"P{number}/USD", opened_at=NOW - number % 3 * HOUR)
    return call


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(limits=st.lists(st.integers(1, 17), min_size=40, max_size=40))
async def test_pages_neither_repeat_nor_lose_a_position(crowded: PortfolioCall, limits: list[int]) -> None:
    items, totals = await walk(lambda limit, offset: positions(crowded, limit=limit, offset=offset), limits)
    assert {item.symbol for item in items} == {f"P{number}/USD" for number in range(40)}
    assert (len(items), totals) == (40, {40})


# --- get_balance -------------------------------------------------------------------------------------------------------


async def test_the_balance_is_the_accounts_and_the_profit_that_of_its_open_positions(call: PortfolioCall) -> None:
    await hold(call, "BAA/USD", size=2, entry_price=100, current_price=110)
    await hold(call, "BAB/USD", side="SHORT", size=Decimal("0.1"), entry_price=100, current_price=103)
    await hold(call, "BAC/USD", entry_price=1, current_price=1000, closed_at=NOW)
    found = await get_balance(GetBalanceRequest(), call)
    assert (found.total_balance, found.available_balance, found.margin_used) == (1000, 800, 200)
    assert found.unrealized_pnl == 19.7
    assert found.unrealized_pnl == sum(item.unrealized_pnl for item in (await positions(call)).items)


async def test_without_positions_nothing_is_gained_and_nothing_lost(call: PortfolioCall) -> None:
    assert (await get_balance(GetBalanceRequest(), call)).unrealized_pnl == 0


async def test_an_account_that_does_not_exist_is_not_found_by_any_tool(call: PortfolioCall) -> None:
    nobody = replace(call, settings=PortfolioSettings(account_id="nobody"))
    for asking in (
        positions(nobody),
        get_balance(GetBalanceRequest(), nobody),
        assess_trade(nobody, "CAA/USD", "BUY", 1, 1),
    ):
        with pytest.raises(AccountNotFound) as raised:
            await asking
        assert raised.value.details == {"account_id": "nobody"}


# --- validate_trade: the rules themselves are held against fractions in test_risk.py -------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        Accepted(OversizedTradeAnswer(allow=True)),
        Accepted(OversizedTradeAnswer(allow=False)),
        Declined(),
        Cancelled(),
    ],
)
async def test_a_trade_above_the_limit_is_valid_if_the_user_allows_it(
    call: PortfolioCall, answer: Accepted[OversizedTradeAnswer] | Declined | Cancelled
) -> None:
    allowed = answer == Accepted(OversizedTradeAnswer(allow=True))
    trader = Trader(answer)
    found = await assess_trade(replace(call, ask=trader), "CAB/USD", "BUY", 16, 10)
    assert trader.asked == [("BUY 16 CAB/USD", 8)]
    assert found.valid is allowed
    assert found.reason.endswith("The user allowed it.") is allowed
    trader.asked.clear()
    assert (await assess_trade(replace(call, ask=trader), "CAB/USD", "BUY", 8, 10)).valid
    assert trader.asked == []


@asynccontextmanager
async def opened_tasks(call: PortfolioCall) -> AsyncIterator[Work]:
    """Give the tasks of a server for the account of *call*."""
    served = pipeline(
        server(handlers),
        sources={"postgres": call.postgres},
        settings={"account_id": call.settings.account_id},
        clock=ManualClock(NOW),
    )
    async with working(served) as work:
        yield work


LARGE = {"symbol": "CAB/USD", "side": "BUY", "size": 16, "price": 10}
"""A trade above the limit of the account of `call`."""
ALLOW = {"action": "accept", "content": {"allow": True}}


async def test_a_trade_above_the_limit_is_a_task_that_waits_for_its_person(call: PortfolioCall) -> None:
    async with opened_tasks(call) as work:
        key = await work.create("validate_trade", LARGE)
        asked = (await work.follow(key, "input_required"))[-1]
        assert asked.ttl_s == 86_400
        assert "BUY 16 CAB/USD" in asked.requests["oversized_trade"]["params"]["message"]
        await work.tasks.service.answer(key, {"oversized_trade": ALLOW})
        assert (await work.finish(key))["data"]["valid"] is True


async def test_a_person_is_asked_again_if_the_balance_has_changed_since_the_question(call: PortfolioCall) -> None:
    async with opened_tasks(call) as work:
        key = await work.create("validate_trade", LARGE)
        await work.follow(key, "input_required")
        spend = "UPDATE accounts SET available_balance = 700 WHERE account_id = $1 RETURNING *"
        await call.postgres.fetch_one(spend, call.settings.account_id)
        await work.tasks.service.answer(key, {"oversized_trade": ALLOW})
        asked = (await work.follow(key, "input_required"))[-1]
        (name,) = asked.requests
        assert "available balance of 700" in asked.requests[name]["params"]["message"]
        await work.tasks.service.answer(key, {name: ALLOW})
        assert (await work.finish(key))["data"]["valid"] is True


async def test_a_task_of_a_caller_that_cannot_be_asked_ends_at_once(call: PortfolioCall) -> None:
    async with opened_tasks(call) as work:
        key = await work.create("validate_trade", LARGE, can_ask=False)
        assert (await work.finish(key))["data"]["valid"] is False


async def test_a_trade_within_a_tenth_of_what_is_available_is_valid(call: PortfolioCall) -> None:
    found = await assess_trade(call, "CAA/USD", "BUY", 8, 10)
    assert (found.valid, found.max_size, found.risk_score) == (True, 8, 0.1)


async def test_a_larger_trade_is_invalid_with_the_reason_and_the_largest_valid_size(call: PortfolioCall) -> None:
    found = await assess_trade(call, "CAB/USD", "BUY", 16, 10)
    assert (found.valid, found.max_size, found.risk_score) == (False, 8, 0.2)
    assert found.reason == "The trade costs 160, more than 10% of the available balance of 800."


async def test_a_trade_that_cannot_be_paid_is_refused_with_the_figures(call: PortfolioCall) -> None:
    with pytest.raises(InsufficientBalance) as raised:
        await assess_trade(call, "CAC/USD", "BUY", 80.1, 10)
    assert raised.value.details == {"notional": 801, "available_balance": 800, "max_size": 8}
    assert (await assess_trade(call, "CAC/USD", "BUY", 80, 10)).valid is False


async def test_decimal_sizes_and_prices_are_assessed_in_decimals(call: PortfolioCall) -> None:
    """0.1 * 3 is more than 0.3 in binary fractions, and 80 / 0.3 no decimal at all."""
    await call.postgres.fetch(
        "UPDATE accounts SET available_balance = 3 WHERE account_id = $1", call.settings.account_id
    )
    assert (await assess_trade(call, "CAD/USD", "BUY", 3, 0.1)).valid
    largest = (await assess_trade(call, "CAD/USD", "BUY", 3, 0.7)).max_size
    assert largest is not None
    assert Fraction(repr(largest)) * Fraction("0.7") <= Fraction("0.3")
    assert (await assess_trade(call, "CAD/USD", "BUY", largest, 0.7)).valid


SIDES = pytest.mark.parametrize("side, closed", [("SELL", "LONG"), ("BUY", "SHORT")])
OWN: dict[Side, str] = {"BUY": "LONG", "SELL": "SHORT"}


@SIDES
async def test_an_order_closes_the_positions_of_the_other_side_first_and_only_the_excess_is_judged(
    call: PortfolioCall, side: Side, closed: str
) -> None:
    for size in (60, 40):
        await hold(call, "CAE/USD", size=size, side=closed)
    await hold(call, "CAE/USD", size=500, side=OWN[side])
    await hold(call, "CAE/USD", size=500, side=closed, closed_at=NOW)
    await hold(call, "CAH/USD", size=500, side=closed)
    closing = await assess_trade(call, "CAE/USD", side, 100, 10)
    assert (closing.valid, closing.risk_score, closing.max_size) == (True, 0, 108)
    assert closing.reason == "The trade only closes an open position."
    assert (await assess_trade(call, "CAE/USD", side, 108, 10)).risk_score == 0.1
    above = await assess_trade(call, "CAE/USD", side, 109, 10)
    expected = "The part of the trade that closes nothing costs 90, more than 10% of the available balance of 800."
    assert (above.valid, above.reason) == (False, expected)
    with pytest.raises(InsufficientBalance) as raised:
        await assess_trade(call, "CAE/USD", side, 181, 10)
    assert raised.value.details["notional"] == 810


@pytest.mark.parametrize("side", OWN)
async def test_an_order_of_the_positions_own_side_is_judged_whole(call: PortfolioCall, side: Side) -> None:
    await hold(call, "CAF/USD", size=100, side=OWN[side])
    assert (await assess_trade(call, "CAF/USD", side, 9, 10)).max_size == 8


@SIDES
async def test_a_position_may_be_closed_even_when_nothing_is_available(
    call: PortfolioCall, side: Side, closed: str
) -> None:
    await hold(call, "CAG/USD", size=5, side=closed)
    await call.postgres.fetch(
        "UPDATE accounts SET available_balance = -1 WHERE account_id = $1", call.settings.account_id
    )
    found = await assess_trade(call, "CAG/USD", side, 5)
    assert (found.valid, found.risk_score, found.max_size) == (True, 0, 5)
    with pytest.raises(InsufficientBalance):
        await assess_trade(call, "CAG/USD", side, 5.1)


async def test_a_short_of_ten_turned_by_a_buy_of_fifteen_is_judged_like_a_buy_of_five(call: PortfolioCall) -> None:
    await hold(call, "CAI/USD", size=10, side="SHORT")
    turning = await assess_trade(call, "CAI/USD", "BUY", 15, 10)
    alone = await assess_trade(call, "CAJ/USD", "BUY", 5, 10)
    assert (turning.valid, turning.reason, turning.risk_score) == (alone.valid, alone.reason, alone.risk_score)
    assert (turning.max_size, alone.max_size) == (18, 8)


async def test_without_a_price_that_of_the_position_priced_last_counts(call: PortfolioCall) -> None:
    await signal(call, "DAA/USD", 4, NOW)
    await hold(call, "DAA/USD", current_price=2, priced_at=NOW - HOUR)
    await hold(call, "DAA/USD", current_price=5, priced_at=NOW - 2 * HOUR)
    await hold(call, "DAA/USD", current_price=1, priced_at=NOW, closed_at=NOW)
    assert (await assess_trade(call, "DAA/USD", "BUY", 1)).max_size == 40


async def test_without_a_position_the_price_of_the_newest_signal_counts(call: PortfolioCall) -> None:
    for price, at in ((4.0, NOW - HOUR), (16.0, NOW), (2.0, NOW - 2 * HOUR), (1.0, NOW + HOUR)):
        await signal(call, "DAB/USD", price, at)
    assert (await assess_trade(call, "DAB/USD", "BUY", 1)).max_size == 5


async def test_a_price_that_is_given_is_the_one_that_counts(call: PortfolioCall) -> None:
    await hold(call, "DAC/USD", current_price=1000)
    assert (await assess_trade(call, "DAC/USD", "BUY", 1, 8)).max_size == 10


async def test_a_trade_of_unknown_price_is_not_valid_and_nothing_is_made_up(call: PortfolioCall) -> None:
    found = await assess_trade(call, "DAD/USD", "BUY", 1)
    assert found == ValidateTradeResult(valid=False, reason="No price of DAD/USD is known; give one.")
