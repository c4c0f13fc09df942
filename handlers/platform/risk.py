"""The tools of risk-mcp: orders checked against the limits of their portfolio, and alerts."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from generated.platform.errors import InvalidArguments, MissingConfiguration
from generated.platform.risk import queries
from generated.platform.risk.models import (
    AppliedLimit,
    RiskAlert,
    RiskPositionLimitsCheckRequest,
    RiskPositionLimitsCheckResult,
    RiskPositionLimitsCheckResultRiskMetrics,
    RiskTriggerAlertRequest,
    RiskTriggerAlertResult,
)
from generated.platform.risk.server import RiskCall, RiskPositionLimitsCheckCall, RiskTriggerAlertCall
from handlers.platform.exposure import Position
from handlers.platform.history import DAYS, read_history
from handlers.platform.position_limits import Assessment, Limit, Order, assess
from handlers.platform.value_at_risk import shared_days

HORIZON_DAYS = {"intraday": 1, "swing": 10}
"""Days over which value at risk is measured."""
DIRECTIONS = {"buy": "long", "long": "long", "sell": "short", "short": "short"}
"""The direction of each side of versions 1.x."""
SIGNS = {"long": 1, "short": -1}
"""The sign of the units that an order adds to a position."""
SYMBOL = re.compile(r"[A-Z]{3,6}(/[A-Z]{3,6})?")
"""The contract's pattern of symbols, which the names of positions follow too."""
MOST_POSITIONS = 500
"""Positions of a caller beyond which the deadline could not be kept."""
OLDEST_PRICE_DAYS = 7
"""Days after which the newest price of an instrument is no longer its current price."""
FEWEST_RETURNS = 20
"""Returns without which a deviation or a correlation would mean nothing."""


async def risk_trigger_alert(request: RiskTriggerAlertRequest, call: RiskTriggerAlertCall) -> RiskTriggerAlertResult:
    """Publish an alert; return when JetStream has stored it.

    The time of a repeated alert is that of the first.
    """
    alert = await call.risk_alert.publish_once(RiskAlert(**request.model_dump(), timestamp=call.now))
    return RiskTriggerAlertResult(published=True, subject=call.risk_alert.address, timestamp=alert.timestamp)


async def risk_position_limits_check(
    request: RiskPositionLimitsCheckRequest, call: RiskPositionLimitsCheckCall
) -> RiskPositionLimitsCheckResult:
    """Check an order against the portfolio's limits, in the state of one moment."""
    given, today = request.current_positions, call.now.date()
    sent = None if given is None else _read_symbols(given)
    found = await queries.snapshot(
        call.postgres, portfolio_id=request.portfolio_id, symbol=request.symbol, sent=sent, today=today, days=DAYS + 1
    )
    if found.limits is None:
        message = f"The portfolio {request.portfolio_id} has no limits; add some to portfolio_limits."
        raise MissingConfiguration(message, missing="limits", name=request.portfolio_id)
    positions = [_position(each, given) for each in found.instruments]
    if len(shared_days(positions)) <= FEWEST_RETURNS:
        message = f"The instruments of {request.portfolio_id} share prices of too few days."
        raise MissingConfiguration(message, missing="price_history", name=request.portfolio_id)
    ordered = next(each for each in found.instruments if each["symbol"] == request.symbol)
    order = Order(
        symbol=request.symbol,
        quantity=request.quantity,
        sign=SIGNS[request.direction],
        days=HORIZON_DAYS[request.time_horizon],
        step=Decimal(ordered["step"]),
    )
    limits = [Limit(rule_name=name, limit_type=kind, threshold=Decimal(most)) for name, kind, most in found.limits]
    return _result(assess(positions, limits, order))


async def direction_of_side(value: Any, _call: RiskCall) -> Any:
    """Return the direction of an order's side in versions 1.x."""
    return DIRECTIONS[value]


def _read_symbols(given: Mapping[str, float]) -> list[str]:
    """Return the symbols of the positions that a caller sends. Raises InvalidArguments."""
    sent = sorted(symbol for symbol, quantity in given.items() if quantity)
    malformed = next((symbol for symbol in sent if not SYMBOL.fullmatch(symbol)), None)
    if len(sent) > MOST_POSITIONS:
        message = f"There are {len(sent)} current positions; send at most {MOST_POSITIONS}."
    elif malformed is not None:
        message = f"{malformed[:50]!r} in current_positions is no symbol; write instruments as EURUSD or BTC/USD."
    else:
        return sent
    raise InvalidArguments(message, field="current_positions")


def _position(stored: dict[str, Any], given: Mapping[str, float] | None) -> Position:
    """Return the position in an instrument. Raises MissingConfiguration for one without prices."""
    symbol, text = stored["symbol"], stored["history"]
    _require(stored["step"] is not None, "instrument", symbol, "is unknown; add it to instruments")
    no_price = f"had no price for {OLDEST_PRICE_DAYS} days"
    _require(text is not None, "price", symbol, no_price)
    history, price = read_history(text)
    _require(history.days[0] <= OLDEST_PRICE_DAYS, "price", symbol, no_price)
    _require(
        len(history.returns) >= FEWEST_RETURNS,
        "price_history",
        symbol,
        f"has fewer than {FEWEST_RETURNS} daily returns",
    )
    quantity = stored["quantity"] or 0 if given is None else repr(given.get(symbol, 0))
    return Position(
        symbol=symbol,
        quantity=Decimal(quantity),
        price=price,
        group=stored["group"],
        history=history,
    )


def _require(is_there: bool, missing: str, symbol: str, complaint: str) -> None:  # noqa: FBT001 - a condition
    if not is_there:
        raise MissingConfiguration(f"The instrument {symbol} {complaint}.", missing=missing, name=symbol)


def _result(assessment: Assessment) -> RiskPositionLimitsCheckResult:
    return RiskPositionLimitsCheckResult(
        allowed=assessment.allowed,
        reason=_reason(assessment),
        max_quantity=assessment.max_quantity,
        risk_metrics=RiskPositionLimitsCheckResultRiskMetrics(
            position_utilization=assessment.utilization,
            instrument_concentration=assessment.concentration,
            portfolio_exposure=assessment.exposure,
            var_impact=assessment.var_impact,
        ),
        limits_applied=[
            AppliedLimit.model_validate(
                {
                    "rule_name": each.limit.rule_name,
                    "limit_type": each.limit.limit_type,
                    "threshold": float(each.limit.threshold),
                    "current_value": float(each.value),
                    "violated": each.violated,
                }
            )
            for each in assessment.checked
        ],
    )


def _reason(assessment: Assessment) -> str:
    violated = [
        f"{each.limit.rule_name} to {float(each.value):.12g}, above its {float(each.limit.threshold):.12g}"
        for each in assessment.checked
        if each.violated
    ]
    return f"The order would bring {'; '.join(violated)}." if violated else "The order violates no limit."
