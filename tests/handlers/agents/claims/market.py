"""Results of tools, and a signal, about which the sentences of the corpus speak."""

from __future__ import annotations

from typing import Any

from generated.agents.signal_generator.models import Signal
from handlers.agents.claims.check import find_false_claims
from handlers.agents.claims.facts import Facts
from tests.handlers.agents.analysis.analyst import MENTIONS

Json = dict[str, Any]

SNAPSHOT: Json = {
    "metadata": {"ticker": "SBER", "board": "TQBR", "as_of": "2026-11-20T16:25:43+03:00"},
    "data": {
        "last_price": 301.5, "price_change_abs": 2.4, "price_change_pct": 0.79, "open_price": 299.0,
        "high_price": 303.2, "low_price": 298.1, "volume": 21450030, "value": 6491203045,
    },
    "metrics": {"intraday_volatility_estimate": 1.71},
}  # fmt: skip
BARS: Json = {
    "metadata": {"ticker": "GAZP", "interval": "1d", "from_date": "2026-10-01", "to_date": "2026-10-31"},
    "data": [
        {"ts": "2026-10-01T00:00:00+03:00", "open": 130, "high": 132.4, "low": 129, "close": 131.2, "volume": 30000000},
        {"ts": "2026-10-02T00:00:00+03:00", "open": 131, "high": 131.9, "low": 127.7, "close": 128, "volume": 31000000},
        {
            "ts": "2026-10-30T00:00:00+03:00",
            "open": 126,
            "high": 127.4,
            "low": 124.3,
            "close": 125.05,
            "volume": 29000000,
        },
    ],
    "metrics": {"total_return_pct": -4.69, "annualized_volatility": 25.125, "avg_daily_volume": 30000000},
}
INDEX: Json = {
    "metadata": {"index_ticker": "IMOEX", "as_of_date": "2026-11-20"},
    "data": [
        {"ticker": "LKOH", "weight_pct": 14.2, "last_price": 6800, "price_change_pct": -1.2},
        {"ticker": "VTBR", "weight_pct": 3.1, "last_price": 92.4, "price_change_pct": 2.35},
    ],
    "metrics": {"top5_weight_pct": 52.3, "num_constituents": 46},
}
SIGNAL = Signal.model_validate(
    {
        "signal_id": "sig-abc123",
        "symbol": "ETH/USD",
        "action": "BUY",
        "confidence": 0.81226,
        "strategies_analyzed": 5,
        "strategies_bullish": 4,
        "strategies_bearish": 1,
        "strategies_neutral": 0,
        "top_strategy": {"name": "RSI_REVERSAL", "score": 0.89, "signal": "BUY", "parameters": {"rsiPeriod": 14}},
        "strategy_breakdown": [
            {"name": "RSI_REVERSAL", "signal": "BUY", "score": 0.89},
            {"name": "MACD_CROSS", "signal": "BUY", "score": 0.85},
            {"name": "BOLLINGER_BOUNCE", "signal": "BUY", "score": 0.78},
            {"name": "EMA_TREND", "signal": "BUY", "score": 0.72},
            {"name": "VOLUME_BREAKOUT", "signal": "SELL", "score": 0.65},
        ],
        "reasoning": "4 of 5 top strategies signal BUY.",
        "market_context": {
            "current_price": 2450.5,
            "price_change_1h": 0.023,
            "volume_ratio": 1.45,
            "volatility_1h": 0.018,
        },
        "timestamp": "2026-11-23T12:34:56Z",
    }
)


def build_facts() -> Facts:
    """Return the facts of all results."""
    facts = Facts(currency="RUB")
    facts.add_result(SNAPSHOT, "SBER", "security")
    facts.add_result(BARS, "GAZP", "security")
    facts.add_result(INDEX, "IMOEX", "index")
    return facts


def find_false(text: str) -> tuple[str, ...]:
    """Return the false claims of an answer in Russian or English."""
    is_russian = any("а" <= each <= "я" for each in text.lower())
    return find_false_claims(text, build_facts(), "ru" if is_russian else "en", MENTIONS)
