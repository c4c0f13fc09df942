"""The tools of moex-iss-mcp, on the exchange's information server (ISS)."""

from typing import Any

from generated.moex.errors import NoData
from generated.moex.iss.models import (
    GetSecuritySnapshotRequest,
    GetSecuritySnapshotResult,
    GetSecuritySnapshotResultData,
    GetSecuritySnapshotResultMetadata,
    GetSecuritySnapshotResultMetrics,
)
from generated.moex.iss.server import IssCall
from handlers.moex.securities import Price, moscow_time, price, quotation, volatility_pct
from handlers.moex.tables import Row, number, text


async def get_security_snapshot(request: GetSecuritySnapshotRequest, call: IssCall, /) -> GetSecuritySnapshotResult:
    """Return the price of a security, its change since the previous trading day, and the figures of the day.

    Raises InvalidTicker, NoData, IssTimeout and IssBadResponse.
    """
    ticker, board = request.ticker, request.board
    row = await quotation(call.iss, ticker, board)
    found = price(row)
    if found is None:
        message = f"{ticker} has no price on {board}, or none of the previous day to compare it with."
        raise NoData(message, ticker=ticker, board=board)
    return GetSecuritySnapshotResult(
        metadata=_metadata(row),
        data=_data(row, found),
        metrics=GetSecuritySnapshotResultMetrics(intraday_volatility_estimate=volatility_pct(row)),
    )


def _metadata(row: Row) -> GetSecuritySnapshotResultMetadata:
    return GetSecuritySnapshotResultMetadata(
        source="moex-iss", ticker=text(row, "SECID"), board=text(row, "BOARDID"), as_of=moscow_time(row)
    )


def _data(row: Row, found: Price) -> GetSecuritySnapshotResultData:
    """The figures; volume in shares, value in roubles, `price_field` the exchange's column that served as the price."""
    beyond_the_contract: dict[str, Any] = {"price_field": found.field}
    return GetSecuritySnapshotResultData(
        last_price=found.last,
        price_change_abs=found.change,
        price_change_pct=found.change_pct,
        open_price=number(row, "OPEN"),
        high_price=number(row, "HIGH"),
        low_price=number(row, "LOW"),
        volume=number(row, "VOLTODAY"),
        value=number(row, "VALTODAY"),
        **beyond_the_contract,
    )
