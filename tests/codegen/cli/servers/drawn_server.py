"""A server whose results can be drawn: `python -m tests.codegen.cli.servers.drawn_server`."""

import itertools
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

START = datetime(2026, 11, 28, 9, tzinfo=UTC)


class Candle(BaseModel):
    """An hour of prices."""

    timestamp: datetime
    open: float
    high: float
    low: float
    close: float
    volume: float


class Candles(BaseModel):
    """Hours of prices."""

    items: list[Candle]


class Point(BaseModel):
    """A day of an account."""

    day: datetime
    account_id: int
    equity: float | None
    drawdown: float


def _column(name: str, form: str = "number", **others: str) -> dict[str, str]:
    return {"pointer": f"/items/*/{name}", "label": name.title(), "format": form} | others


def _write_page(**configuration: Any) -> str:
    return f'<!doctype html><script type="application/json" id="view">{json.dumps(configuration)}</script><p>Prices'


_TIME = _column("timestamp", "date-time")
_PRICES = {each: _column(each) for each in ("open", "high", "low", "close")}
_PAGE = _write_page(
    result="",
    panels=[
        {"kind": "candles", "title": "Hours", "time": _TIME, **_PRICES},
        {
            "kind": "lines",
            "title": "Closes",
            "x": _TIME,
            "lines": [_column("close", unit="USD")],
            "areas": [_column("volume")],
            "bands": [{"lower": _PRICES["low"], "upper": _PRICES["high"]}],
        },
        {"kind": "bars", "label": _TIME, "values": [_column("volume")]},
        {"kind": "table", "columns": [_TIME]},
    ],
)
apps = Apps()
apps.add_html_resource("ui://drawn/candles", _PAGE)
apps.add_html_resource("ui://drawn/broken", _write_page(result="", panels=[{"kind": "candles"}]))
apps.add_html_resource("ui://drawn/own", "<!doctype html><p>A page that speaks the protocol itself")


def _make_candles(count: int) -> Candles:
    """Return candles, the newest first."""
    prices = [100.0 + (each * 7) % 13 for each in range(count + 1)]
    items = [
        Candle(
            timestamp=START + timedelta(hours=each),
            open=first,
            high=max(first, last) + 1,
            low=min(first, last) - 1,
            close=last,
            volume=10.0 * each,
        )
        for each, (first, last) in enumerate(itertools.pairwise(prices))
    ]
    return Candles(items=items[::-1])


@apps.tool(resource_uri="ui://drawn/candles")
def get_candles(count: int = 30) -> Candles:
    """Get candles, which a view describes."""
    return _make_candles(count)


@apps.tool(resource_uri="ui://drawn/own")
def get_hours(count: int = 30) -> Candles:
    """Get candles, whose view is a page of the project."""
    return _make_candles(count)


@apps.tool(resource_uri="ui://drawn/broken")
def get_broken() -> Candles:
    """Get candles with a view of a wrong form."""
    return _make_candles(3)


server = MCPServer("drawn", extensions=[apps])


@server.tool()
def get_account() -> list[Point]:
    """Get the days of an account, which the output schema alone describes."""
    values = [None if each == 5 else 1000.0 + each**2 for each in range(20)]
    return [
        Point(day=START + timedelta(days=each), account_id=7, equity=value, drawdown=-each / 100)
        for each, value in enumerate(values)
    ]


@server.tool()
def get_name() -> str:
    """Get a name."""
    return "nothing to draw"


if __name__ == "__main__":
    server.run()
