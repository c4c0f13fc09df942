"""What the exchange answers, cut down by hand from captured answers to the columns that matter; and how it is served."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SECURITIES: dict[str, Any] = {"SECID": "SBER", "BOARDID": "TQBR", "PREVPRICE": 270, "DECIMALS": 2, "SECTORID": None}
MARKETDATA: dict[str, Any] = {
    "SECID": "SBER", "BOARDID": "TQBR", "LAST": 266.79, "LASTCHANGE": -0.01, "LASTCHANGEPRCNT": 0, "CHANGE": -3.21,
    "LASTTOPREVPRICE": -1.19, "LCURRENTPRICE": 267, "MARKETPRICE": 269.93, "OPEN": 270, "HIGH": 271.19, "LOW": 266.11,
    "VOLTODAY": 28693620, "VALTODAY": 79279237, "VALTODAY_RUR": 7717500748, "TIME": "16:10:42", "SYSTIME": "2023-10-18 16:25:43",
}  # fmt: skip
UNTRADED: dict[str, Any] = dict.fromkeys(("LAST", "CHANGE", "LCURRENTPRICE", "OPEN", "HIGH", "LOW")) | dict.fromkeys(
    ("LASTCHANGE", "LASTCHANGEPRCNT", "LASTTOPREVPRICE", "VOLTODAY", "VALTODAY", "VALTODAY_RUR"), 0
)
"""What of MARKETDATA is null or 0 on a day without trades; the market price, which is of the day before, stays."""


def table(row: Mapping[str, Any] | None, columns: list[str]) -> dict[str, Any]:
    """A block with *columns* and at most one row."""
    return {"columns": columns, "data": [] if row is None else [[row[column] for column in columns]]}


def answer(security: Mapping[str, Any] | None = None, market: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The answer for a security, SBER with the differences *security* and *market*."""
    securities, marketdata = SECURITIES | dict(security or {}), MARKETDATA | dict(market or {})
    return {
        "securities": table(securities, list(securities)),
        "marketdata": table(marketdata, list(marketdata)),
        "marketdata_yields": {"columns": ["boardid", "secid"], "data": []},
    }


def nothing() -> dict[str, Any]:
    """The answer for a security that the exchange does not know."""
    return {"securities": table(None, list(SECURITIES)), "marketdata": table(None, list(MARKETDATA))}


def block(name: str, columns: str, *values: list[Any]) -> dict[str, Any]:
    """The answer with one block, whose columns are named in one text."""
    return {name: {"columns": columns.split(), "data": list(values)}}


@dataclass(slots=True)
class Recorded:
    """An exchange that always answers the same, or what a function of path and query says, and remembers what it was asked."""

    document: Any
    kind: str = "http"
    asked: list[tuple[str, Mapping[str, str | int | float | bool]]] = field(default_factory=list)

    async def get_json(self, path: str, params: Mapping[str, str | int | float | bool] | None = None) -> Any:
        """Return the document; raise it where it is an exception."""
        self.asked.append((path, params or {}))
        said = self.document(path, params or {}) if callable(self.document) else self.document
        if isinstance(said, Exception):
            raise said
        return said

    async def start(self) -> None:
        """Nothing to connect."""

    async def check(self) -> None:
        """Nothing to ask."""

    async def close(self) -> None:
        """Nothing to give back."""


@dataclass(slots=True)
class Heard:
    """Keeps how far a call is said to be."""

    reports: list[tuple[float, float | None]] = field(default_factory=list)
    """What is done, and of how much."""

    async def __call__(self, done: float, /, total: float | None = None, message: str | None = None) -> None:
        """Keep a report, which must have a message."""
        assert message
        self.reports.append((done, total))
