"""The tools of portfolio-mcp: positions, balance and the risk rules for a trade."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal

from generated.tradestream.errors import AccountNotFound, InsufficientBalance, Unauthorized
from generated.tradestream.portfolio import queries
from generated.tradestream.portfolio.models import (
    GetBalanceRequest,
    GetPositionsRequest,
    ValidateTradeRequest,
    ValidateTradeResult,
)
from generated.tradestream.portfolio.server import GetBalanceCall, GetPositionsCall, PortfolioCall
from handlers.tradestream.identifiers import not_found_message
from handlers.tradestream.risk import LARGEST_SHARE, Assessment, Trade, assess
from toolaccord import Accepted, Page
from toolaccord.sources.postgresql import PostgresqlError

INSUFFICIENT_PRIVILEGE = "42501"
"""PostgreSQL's SQLSTATE for a missing privilege."""
CLOSED_BY: Mapping[str, str] = {"SELL": "LONG", "BUY": "SHORT"}
"""The side of the positions that an order closes, by the order's side."""


async def get_positions(request: GetPositionsRequest, call: GetPositionsCall) -> Page[queries.PositionsRow]:
    """Return the account's open positions, the newest first."""
    account = call.settings.account_id
    with _permitted("portfolio data"):
        page = await queries.positions(
            call.postgres, account_id=account, symbol=request.symbol, limit=request.limit, offset=request.offset
        )
        is_known = page.total > 0 or await queries.is_account(call.postgres, account_id=account)
    if not is_known:
        raise _account_not_found(account)
    return page


async def get_balance(_: GetBalanceRequest, call: GetBalanceCall) -> queries.BalanceRow:
    """Return the account's balances."""
    account = call.settings.account_id
    with _permitted("balance data"):
        found = await queries.balance(call.postgres, account_id=account)
    if found is None:
        raise _account_not_found(account)
    return found


async def validate_trade(request: ValidateTradeRequest, call: PortfolioCall) -> ValidateTradeResult:
    """Check a trade against the risk rules, less the part that closes open positions."""
    account, closed = call.settings.account_id, CLOSED_BY[request.side]
    with _permitted("portfolio data"):
        row = await queries.trade_context(
            call.postgres, account_id=account, symbol=request.symbol, now=call.now, closed_side=closed
        )
    if row is None:
        raise _account_not_found(account)
    price = _find_price(request, row)
    if price is None:
        return ValidateTradeResult(valid=False, reason=f"No price of {request.symbol} is known; give one.")
    trade = Trade(size=_decimal(request.size), price=price, closes=row.closes, available=row.available_balance)
    found = assess(trade)
    if not found.is_affordable:
        raise InsufficientBalance(
            f"{_cost(found, trade)}, and {_shown(trade.available)} is available.",
            notional=float(found.notional),
            available_balance=float(trade.available),
            max_size=found.max_size,
        )
    reason = _reason(found, trade)
    is_allowed = not found.is_small_enough and await _is_allowed(request, reason, found, call)
    return ValidateTradeResult(
        valid=found.is_small_enough or is_allowed,
        reason=f"{reason} The user allowed it." if is_allowed else reason,
        max_size=found.max_size,
        risk_score=found.risk_score,
    )


async def _is_allowed(request: ValidateTradeRequest, reason: str, found: Assessment, call: PortfolioCall) -> bool:
    """Return whether the user allows a trade above the limit; False if nobody can be asked."""
    answer = await call.ask.oversized_trade(
        side=request.side, size=request.size, symbol=request.symbol, reason=reason, max_size=found.max_size
    )
    return isinstance(answer, Accepted) and answer.answer.allow


@contextmanager
def _permitted(what: str) -> Iterator[None]:
    """Raise Unauthorized where the database's user may not read *what*."""
    try:
        yield
    except PostgresqlError as error:
        if error.sqlstate == INSUFFICIENT_PRIVILEGE:
            raise Unauthorized(f"This server may not read {what}.") from error
        raise


def _account_not_found(account: str) -> AccountNotFound:
    return AccountNotFound(not_found_message("Account", account), account_id=account)


def _find_price(request: ValidateTradeRequest, row: queries.TradeContextRow) -> Decimal | None:
    """Return the requested price, else the newest of an open position, else that of a signal."""
    if request.price is not None:
        return _decimal(request.price)
    if row.position_price is None and row.signal_price is not None:
        return _decimal(row.signal_price)
    return row.position_price


def _reason(found: Assessment, trade: Trade) -> str:
    if not found.notional:
        return "The trade only closes an open position."
    if found.is_small_enough:
        return "The trade is within the risk rules."
    most = f"{LARGEST_SHARE:.0%} of the available balance of {_shown(trade.available)}"
    return f"{_cost(found, trade)}, more than {most}."


def _cost(found: Assessment, trade: Trade) -> str:
    judged = "The part of the trade that closes nothing" if trade.closes else "The trade"
    return f"{judged} costs {_shown(found.notional)}"


def _decimal(number: float) -> Decimal:
    """Return the decimal with the digits of *number*: 0.1 is exactly a tenth."""
    return Decimal(repr(number))


def _shown(amount: Decimal) -> str:
    return f"{float(amount):.12g}"
