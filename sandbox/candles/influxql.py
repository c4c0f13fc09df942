"""The answers of InfluxDB 1.6 to the candle queries of the handlers, and to no others."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray

from sandbox.candles.minutes import Candles
from sandbox.http_service import Request, Response

Row: TypeAlias = tuple[float, ...]
Item = TypeVar("Item")

COLUMNS = ("time", "open", "high", "low", "close", "volume")
"""The fields of a candle, in the order of its values."""
RANGE = (
    r"FROM candles WHERE currency_pair = '(?P<symbol>[^']*)' AND time >= (?P<start>-?\d+)ms AND time < (?P<end>-?\d+)ms"
)
WINDOWS = r"GROUP BY time\((?P<width>\d+)ms\) fill\(none\)"
PAGE = r"(?:ORDER BY time(?P<descending> DESC)?)?(?: LIMIT (?P<limit>\d+) OFFSET (?P<offset>\d+))?"
SELECT = re.compile(rf"SELECT (?P<fields>.+) {RANGE}(?: {WINDOWS})? *{PAGE}")
COUNT = re.compile(
    rf"SELECT count\(close\) AS total (?:FROM \(SELECT last\(close\) AS close )?{RANGE}(?: {WINDOWS}\))?"
)
FIELD = re.compile(r"(?:(?P<function>\w+)\()?(?P<field>\w+)\)?(?: AS (?P<name>\w+))?")
SYMBOLS = 'SHOW TAG VALUES FROM candles WITH KEY = "currency_pair"'
FUNCTIONS: Mapping[str, Callable[[NDArray[np.float64]], float]] = {
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
    "max": np.max,
    "min": np.min,
    "sum": lambda values: np.cumsum(values)[-1],  # np.sum adds in another order, and so rounds differently
}


class CandleStore(Protocol):
    """Candles; a start and an exclusive end are in ms since 1970."""

    def symbols(self) -> Iterable[str]:
        """Return the symbols that have candles."""

    def times(self, symbol: str, start_ms: int, end_ms: int) -> NDArray[np.float64]:
        """Return the openings of the candles, in ms since 1970."""

    def candles(self, symbol: str, start_ms: int, end_ms: int) -> Candles:
        """Return the candles."""


def answer(store: CandleStore, request: Request) -> Response:
    """Return the response to `/ping`, or to `/query` with the candles of *store*."""
    if request.path == "/ping":
        return Response(body=b"", status=204)
    if request.path != "/query":
        return Response(body=b"404 page not found\n", status=404, kind="text/plain")
    try:
        statements = [statement.strip() for statement in request.query.get("q", "").split(";")]
        results = [{"statement_id": number} | _run(store, text) for number, text in enumerate(statements)]
    except (LookupError, ValueError) as error:
        return Response(body=orjson.dumps({"error": f"error parsing query: {error}"}), status=400)
    return Response(body=orjson.dumps({"results": results}, option=orjson.OPT_SERIALIZE_NUMPY))


def _run(store: CandleStore, statement: str) -> dict[str, Any]:
    """Return the result of a statement. Raises ValueError for one that no handler sends."""
    if statement == SYMBOLS:
        values = [("currency_pair", symbol) for symbol in sorted(store.symbols())]
        return {"series": [{"name": "candles", "columns": ["key", "value"], "values": values}]} if values else {}
    if (found := COUNT.fullmatch(statement)) is not None:
        times = store.times(found["symbol"], int(found["start"]), int(found["end"]))
        count = len(np.unique(times // int(found["width"] or 1)))
        return _result(["total"], [(int(found["start"]), count)] if count else [])
    if (found := SELECT.fullmatch(statement)) is None:
        raise ValueError(f"the sandbox does not answer {statement}")
    candles = store.candles(found["symbol"], int(found["start"]), int(found["end"]))
    fields = list(FIELD.finditer(found["fields"]))
    names = [field["name"] or field["field"] for field in fields]
    if not candles.size:
        return {}
    if fields[0]["function"] is None:
        selected = candles[[0, *(COLUMNS.index(name) for name in names)]]
        return _result(names, _page(found, list(zip(*selected.tolist(), strict=True))))
    windows = _windows(found, candles)
    return _result(names, [(time, *(_aggregate(found, each, window) for each in fields)) for time, window in windows])


def _windows(found: re.Match[str], candles: Candles) -> list[tuple[float, Candles]]:
    """Return the candles of each window on the page, and the time of its opening.

    Without windows it is all candles, and the time of the last if the statement selects that, else the first possible.
    """
    if found["width"] is None:
        return [(candles[0, -1] if found["fields"].startswith("last(") else int(found["start"]), candles)]
    openings = candles[0] // int(found["width"]) * int(found["width"])
    firsts = np.flatnonzero(np.diff(openings)) + 1
    return _page(found, list(zip(openings[[0, *firsts]], np.split(candles, firsts, axis=1), strict=True)))


def _page(found: re.Match[str], rows: list[Item]) -> list[Item]:
    """Return the requested ones of *rows*, in the requested order."""
    ordered = rows[::-1] if found["descending"] else rows
    offset = int(found["offset"] or 0)
    return ordered[offset : offset + int(found["limit"] or len(rows))]


def _aggregate(found: re.Match[str], field: re.Match[str], window: Candles) -> float:
    values = window[COLUMNS.index(field["field"])]
    if field["function"] == "sum" and found["descending"]:
        values = values[::-1]  # InfluxDB adds in the order of the statement
    return FUNCTIONS[field["function"]](values)


def _result(names: Iterable[str], rows: Iterable[Row]) -> dict[str, Any]:
    """Return the JSON of *rows*, times in ms first; without rows there is no series."""
    values = [(int(time), *others) for time, *others in rows]
    return {"series": [{"name": "candles", "columns": ["time", *names], "values": values}]} if values else {}
