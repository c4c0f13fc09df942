"""Shortened answers of the exchange, and a source that serves them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolaccord.testing.sources import FakeHttp

SECURITIES: dict[str, Any] = {
    "SECID": "SBER", "BOARDID": "TQBR", "PREVPRICE": 270, "PREVDATE": "2023-10-17", "CURRENCYID": "SUR", "DECIMALS": 2,
    "SECTORID": None,
}  # fmt: skip
MARKETDATA: dict[str, Any] = {
    "SECID": "SBER", "BOARDID": "TQBR", "LAST": 266.79, "LASTCHANGE": -0.01, "LASTCHANGEPRCNT": 0, "CHANGE": -3.21,
    "LASTTOPREVPRICE": -1.19, "LCURRENTPRICE": 267, "MARKETPRICE": 269.93, "OPEN": 270, "HIGH": 271.19, "LOW": 266.11,
    "VOLTODAY": 28693620, "VALTODAY": 79279237, "VALTODAY_RUR": 7717500748, "TIME": "16:10:42", "SYSTIME": "2023-10-18 16:25:43",
}  # fmt: skip
UNTRADED: dict[str, Any] = dict.fromkeys(("LAST", "CHANGE", "LCURRENTPRICE", "OPEN", "HIGH", "LOW")) | dict.fromkeys(
    ("LASTCHANGE", "LASTCHANGEPRCNT", "LASTTOPREVPRICE", "VOLTODAY", "VALTODAY", "VALTODAY_RUR"), 0
)
"""The columns that are null or 0 on a day without trades.

The market price is of the day before, and stays.
"""


def table(row: Mapping[str, Any] | None, columns: list[str]) -> dict[str, Any]:
    """Return a block with *columns* and at most one row."""
    return {"columns": columns, "data": [] if row is None else [[row[column] for column in columns]]}


def answer(security: Mapping[str, Any] | None = None, market: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the answer for SBER, with the differences *security* and *market*."""
    securities, marketdata = SECURITIES | dict(security or {}), MARKETDATA | dict(market or {})
    return {
        "securities": table(securities, list(securities)),
        "marketdata": table(marketdata, list(marketdata)),
        "marketdata_yields": {"columns": ["boardid", "secid"], "data": []},
    }


def nothing() -> dict[str, Any]:
    """Return the answer for an unknown security."""
    return {"securities": table(None, list(SECURITIES)), "marketdata": table(None, list(MARKETDATA))}


def block(name: str, columns: str, *values: list[Any]) -> dict[str, Any]:
    """Return an answer with one block; *columns* are separated by spaces."""
    return {name: {"columns": columns.split(), "data": list(values)}}


class Recorded(FakeHttp):
    """A source with a fixed answer, or a function of path and query; it records the requests."""

    def __init__(self, document: Any, *, is_queueing: bool = False) -> None:
        super().__init__({})
        self._document = document
        self.is_queueing = is_queueing

    async def get_json(self, path: str, params: Mapping[str, Any] | None = None) -> Any:
        """Return the document; raise it where it is an exception."""
        self.requests.append((path, dict(params or {})))
        found = self._document(path, params or {}) if callable(self._document) else self._document
        if isinstance(found, Exception):
            raise found
        return found


@dataclass(slots=True)
class RecordedProgress:
    """Records reports of progress."""

    reports: list[tuple[float, float | None]] = field(default_factory=list)
    """Pairs of progress and total."""

    async def __call__(self, done: float, /, total: float | None = None, message: str | None = None) -> None:
        """Record a report, which must have a message."""
        assert message
        self.reports.append((done, total))
