"""Views of every kind, and results like those of the servers here."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from typing import Any

START = datetime(2025, 3, 3, tzinfo=UTC)


def column(pointer: str, format_: str = "number", **members: str) -> dict[str, str]:
    """Return a column, labelled by the last step of its pointer."""
    label = pointer.rsplit("/", 1)[-1].replace("_", " ").capitalize()
    return {"pointer": pointer, "label": label, "format": format_, **members}


PARAMETERS = {
    "type": "object",
    "required": ["symbol", "strategy"],
    "properties": {
        "symbol": {"type": "string", "description": "Ticker, e.g. SBER.", "pattern": "^[A-Z]+$", "examples": ["SBER"]},
        "strategy": {"$ref": "#/$defs/Strategy", "description": "Rule of entry."},
        "fast": {"type": "integer", "minimum": 1, "maximum": 200, "description": "Days of the fast average."},
        "fee": {"anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}], "title": "Fee in percent"},
        "start_date": {"type": "string", "format": "date"},
        "shortSales": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "$defs": {"Strategy": {"enum": ["momentum", "mean-reversion"]}},
}
PANELS: dict[str, dict[str, Any]] = {
    "candles": {
        "kind": "candles",
        "title": "Prices",
        "time": column("/items/*/timestamp", "date-time"),
        **{name: column(f"/items/*/{name}", unit="USD") for name in ("open", "high", "low", "close")},
        "volume": column("/items/*/volume", unit="BTC"),
    },
    "lines": {
        "kind": "lines",
        "title": "Equity",
        "x": column("/days/*/date", "date"),
        "lines": [column("/days/*/equity", unit="USD")],
        "bands": [{"lower": column("/days/*/low"), "upper": column("/days/*/high")}],
    },
    "drawdown": {
        "kind": "lines",
        "title": "Drawdown",
        "x": column("/days/*/date", "date"),
        "areas": [column("/days/*/drawdown", unit="%")],
    },
    "bars": {
        "kind": "bars",
        "title": "Index weights",
        "label": column("/weights/*/ticker", "text"),
        "values": [column("/weights/*/weight", unit="%"), column("/weights/*/pnl", unit="RUB")],
    },
    "table": {
        "kind": "table",
        "title": "Trades",
        "columns": [
            column("/trades/*/time", "date-time"),
            column("/trades/*/symbol", "text"),
            column("/trades/*/side", "text"),
            column("/trades/*/quantity", "integer"),
            column("/trades/*/price", unit="RUB"),
            column("/trades/*/pnl", unit="RUB", description="Profit and loss."),
            column("/trades/*/open", "boolean"),
        ],
    },
    "figures": {
        "kind": "figures",
        "title": "Key figures",
        "figures": [
            column("/summary/sharpe", label="Sharpe ratio", description="Of daily returns, for a year."),
            column("/summary/total", label="Final equity", unit="USD"),
            column("/summary/trades", "integer"),
            column("/summary/best", "text", label="Best strategy"),
            column("/summary/open", "boolean", label="Open positions"),
            column("/summary/since", "date-time"),
            column("/summary/maximum"),
        ],
    },
    "form": {"kind": "form", "title": "Backtest"},
}
STACK = [PANELS[name] for name in ("form", "figures", "lines", "drawdown", "bars", "table")]


def configuration(*panels: dict[str, Any], **members: Any) -> str:
    """Return the configuration of a view, as the compiler writes it."""
    view = {
        "server": "backtest-mcp",
        "tool": "run_backtest",
        "title": "Run backtest",
        "result": "/data",
        "paging": {"limit": "limit", "offset": "offset", "total": "/pagination/total"},
        "parameters": PARAMETERS,
        "panels": panels,
    }
    return json.dumps(view | members)


def result(**members: Any) -> dict[str, Any]:
    """Return a tool's result with the members of its data."""
    return {"content": [], "structuredContent": {"data": members}}


def sample(count: int = 40, start: int = 0) -> dict[str, Any]:
    """Return a result for all panels; the trades are those of a page."""
    chance = random.Random(3)
    return result(
        items=_candles(chance, 120),
        days=_days(chance, 250),
        weights=[
            {"ticker": ticker, "weight": weight, "pnl": pnl}
            for ticker, weight, pnl in (
                ("LKOH", 14.89, -120.5),
                ("SBER", 13.52, 330.1),
                ("GAZP", 11.27, -45),
                ("T", 7.05, 80.25),
                ("GMKN", 5.5, None),
            )
        ],
        trades=[_trade(chance, index) for index in range(start, start + count)],
        pagination={"total": 95},
        summary={
            "sharpe": 1.234567,
            "total": 12345.678,
            "trades": 412,
            "best": "mean-reversion-20",
            "open": True,
            "since": "2025-03-03T10:00:00Z",
            "maximum": None,
        },
    )


def _candles(chance: random.Random, count: int) -> list[dict[str, Any]]:
    made, price = [], 64000.0
    for index in range(count):
        opened, price = price, round(price * (1 + chance.gauss(0, 0.01)), 2)
        high = round(max(opened, price) * (1 + abs(chance.gauss(0, 0.005))), 2)
        low = round(min(opened, price) * (1 - abs(chance.gauss(0, 0.005))), 2)
        volume = round(chance.lognormvariate(5, 1), 3)
        time = f"{START + timedelta(hours=index):%Y-%m-%dT%H:%M:%SZ}"
        made.append({"timestamp": time, "open": opened, "high": high, "low": low, "close": price, "volume": volume})
    return made


def _days(chance: random.Random, count: int) -> list[dict[str, Any]]:
    made, equity, top = [], 10000.0, 10000.0
    for index in range(count):
        equity *= 1 + chance.gauss(0.0005, 0.01)
        top = max(top, equity)
        made.append(
            {
                "date": (START + timedelta(days=index)).date().isoformat(),
                "equity": round(equity, 2),
                "drawdown": round((equity / top - 1) * 100, 2),
                "low": round(equity * 0.97, 2),
                "high": round(equity * 1.03, 2),
            }
        )
    return made


def _trade(chance: random.Random, index: int) -> dict[str, Any]:
    return {
        "time": f"{START + timedelta(minutes=17 * index):%Y-%m-%dT%H:%M:%SZ}",
        "symbol": f"{chance.choice(['SBER', 'GAZP', 'BTC-USD', 'LKOH'])}-{index}",
        "side": chance.choice(["buy", "sell"]),
        "quantity": index,
        "price": round(chance.uniform(100, 7000), 2),
        "pnl": round(chance.gauss(0, 300), 2),
        "open": chance.random() < 0.5,
    }
