"""A client of the exchange's stand-in, over HTTP."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import httpx

from tests.services.exchange import Exchange

NOON = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)
"""A Friday, 15:00 in Moscow; trades are known until 14:45."""
BOARD = "engines/stock/markets/shares/boards/TQBR"
SBER = f"{BOARD}/securities/SBER.json"
CANDLES = f"{BOARD}/securities/SBER/candles.json"
ANALYTICS = "statistics/engines/stock/markets/index/analytics"
Table = list[dict[str, Any]]


class Asking:
    """A client of one stand-in."""

    def __init__(self, exchange: Exchange, client: httpx.Client) -> None:
        self.exchange = exchange
        self.client = client

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> httpx.Response:
        return self.client.get(path, params=query)

    def json(self, path: str, **query: Any) -> Any:
        """The answer; `from_` and `iss_meta` stand for names that Python does not have."""
        parameters = {name.rstrip("_").replace("iss_", "iss."): value for name, value in query.items()}
        return self.get(path, parameters).raise_for_status().json()

    def rows(self, path: str, block: str, **query: Any) -> Table:
        """The rows of *block*, by column."""
        return rows(self.json(path, **query), block)

    def row(self, ticker: str) -> dict[str, Any]:
        """Both blocks of a share of TQBR."""
        blocks = self.json(f"{BOARD}/securities/{ticker}.json")
        (security,), (market,) = rows(blocks, "securities"), rows(blocks, "marketdata")
        return security | market


def rows(blocks: Any, block: str) -> Table:
    table = blocks[block]
    return [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]


@contextmanager
def asking(now: datetime = NOON, **options: Any) -> Iterator[Asking]:
    """A stand-in whose clock stands still, and its client."""
    with (
        Exchange(lambda: now, **options).running() as exchange,
        httpx.Client(base_url=exchange.url, timeout=60) as client,
    ):
        yield Asking(exchange, client)
