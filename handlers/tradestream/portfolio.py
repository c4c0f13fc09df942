"""The tools of portfolio-mcp: positions, balance and the risk rules for a trade."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal

from generated.tradestream.errors import AccountNotFound, InsufficientBalance, Unauthorized
from generated.tradestream.portfolio.models import (
    GetBalanceRequest,
    GetBalanceResult,
    GetPositionsRequest,
    Position,
    ValidateTradeRequest,
    ValidateTradeResult,
)
from generated.tradestream.portfolio.server import PortfolioCall
from handlers.tradestream.identifiers import not_found_message
from handlers.tradestream.pages import to_page, to_record
from handlers.tradestream.risk import LARGEST_SHARE, Assessment, Trade, assess
from toolaccord import Accepted, Page
from toolaccord.sources.postgresql import PostgresqlError, Row

INSUFFICIENT_PRIVILEGE = "42501"
"""PostgreSQL's SQLSTATE for a missing privilege."""
CLOSED_BY: Mapping[str, str] = {"SELL": "LONG", "BUY": "SHORT"}
"""The side of the positions that an order closes, by the order's side."""

# No row means no such account. A row without position_id holds the total alone, for a page past the end.
POSITIONS = """
SELECT (SELECT count(*) FROM positions p WHERE p.account_id = $1 AND p.closed_at IS NULL) AS total, page.*
FROM accounts a
LEFT JOIN (
    SELECT p.position_id, p.symbol, p.side, p.size, p.entry_price, p.current_price, p.unrealized_pnl, p.opened_at
    FROM positions p
    WHERE p.account_id = $1 AND p.closed_at IS NULL
    ORDER BY p.opened_at DESC, p.position_id
    LIMIT $2 OFFSET $3
) page ON true
WHERE a.account_id = $1
ORDER BY page.opened_at DESC, page.position_id
"""
POSITIONS_IN_SYMBOL = POSITIONS.replace("p.closed_at IS NULL", "p.closed_at IS NULL AND p.symbol = $4")

BALANCE = """
SELECT a.total_balance, a.available_balance, a.margin_used,
       (SELECT coalesce(sum(p.unrealized_pnl), 0) FROM positions p
        WHERE p.account_id = a.account_id AND p.closed_at IS NULL) AS unrealized_pnl
FROM accounts a
WHERE a.account_id = $1
"""

TRADE_CONTEXT = """
SELECT a.available_balance,
       (SELECT coalesce(sum(p.size), 0) FROM positions p
        WHERE p.account_id = a.account_id AND p.symbol = $2 AND p.closed_at IS NULL AND p.side = $4) AS closes,
       (SELECT p.current_price FROM positions p
        WHERE p.account_id = a.account_id AND p.symbol = $2 AND p.closed_at IS NULL
        ORDER BY p.priced_at DESC, p.position_id LIMIT 1) AS position_price,
       (SELECT g.price FROM signals g
        WHERE g.symbol = $2 AND g.triggered_at <= $3
        ORDER BY g.triggered_at DESC, g.signal_id DESC LIMIT 1) AS signal_price
FROM accounts a
WHERE a.account_id = $1
"""


async def get_positions(request: GetPositionsRequest, call: PortfolioCall) -> Page[Position]:
    """Return the account's open positions, the newest first."""
    account, symbol = call.settings.account_id, request.symbol
    with _permitted("portfolio data"):
        if symbol is None:
            rows = await call.postgres.fetch(POSITIONS, account, request.limit, request.offset)
        else:
            rows = await call.postgres.fetch(POSITIONS_IN_SYMBOL, account, request.limit, request.offset, symbol)
    _account_row(rows, account)
    return to_page(Position, rows, "position_id")


async def get_balance(_: GetBalanceRequest, call: PortfolioCall) -> GetBalanceResult:
    """Return the account's balances."""
    account = call.settings.account_id
    with _permitted("balance data"):
        row = _account_row(await call.postgres.fetch(BALANCE, account), account)
    return to_record(GetBalanceResult, row)


async def validate_trade(request: ValidateTradeRequest, call: PortfolioCall) -> ValidateTradeResult:
    """Check a trade against the risk rules, less the part that closes open positions."""
    account, closed = call.settings.account_id, CLOSED_BY[request.side]
    with _permitted("portfolio data"):
        row = _account_row(await call.postgres.fetch(TRADE_CONTEXT, account, request.symbol, call.now, closed), account)
    price = _find_price(request, row)
    if price is None:
        return ValidateTradeResult(valid=False, reason=f"No price of {request.symbol} is known; give one.")
    trade = Trade(size=_decimal(request.size), price=price, closes=row["closes"], available=row["available_balance"])
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


def _account_row(rows: Sequence[Row], account: str) -> Row:
    """Return the first row. Raises AccountNotFound without one."""
    if not rows:
        raise AccountNotFound(not_found_message("Account", account), account_id=account)
    return rows[0]


def _find_price(request: ValidateTradeRequest, row: Row) -> Decimal | None:
    """Return the requested price, else the newest of an open position, else that of a signal."""
    if request.price is not None:
        return _decimal(request.price)
    known: Decimal | None = row["position_price"]
    if known is None and row["signal_price"] is not None:
        return _decimal(row["signal_price"])
    return known


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
