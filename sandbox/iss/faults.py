"""The faults of an answer, by name.

Some names end in a number: HTTP503, RETRYAFTER2, LATE250. A fault changes the query, the blocks, or the response. The
rest of the answer is correct, so that a caller sees the fault alone.
"""

import dataclasses
import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.http_service import Delivery, Response
from sandbox.iss.tables import Block, Blocks, Query, Row, parse_row_number

FIRST, LAST = 5e-324, 1.7e308
"""The smallest positive float and about the largest; results computed from them overflow."""
NEEDED = {"close", "SYSTIME", "weight"}
"""The columns that every block needs."""
PAGED = {"candles", "analytics"}
"""Blocks that come in pages."""
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault: a change of the query, the blocks or the response."""

    change_query: Callable[[Query], Query] = lambda query: query
    """Returns the query to answer."""
    change_blocks: Callable[[Blocks, Query], Blocks] = lambda blocks, query: blocks
    """Returns the blocks to render."""
    change_response: Callable[[Response], Response] = lambda response: response
    """Returns the response to send."""


def find_fault(name: str) -> Fault | None:
    """Return the fault *name*; None for an unknown name."""
    if (known := FAULTS.get(name)) is not None:
        return known
    match = re.fullmatch(r"([A-Z]+)([0-9]{1,6})", name)
    made = NUMBERED.get(match[1]) if match is not None else None
    return made(int(match[2])) if match is not None and made is not None else None


def _status_fault(status: int, headers: Mapping[str, str] | None = None) -> Fault:
    """Return the fault of an HTML page with *status*, as a gateway sends it."""
    page = f"<html><body><h1>{status}</h1></body></html>".encode()
    return Fault(change_response=lambda _: Response(body=page, status=status, kind=HTML, headers=headers or {}))


def _text_fault(text: str, kind: str = "application/json; charset=utf-8") -> Fault:
    """Return the fault of *text* with status 200."""
    return Fault(change_response=lambda _: Response(body=text.encode(), kind=kind))


def _delivery_fault(delivery: Delivery) -> Fault:
    return Fault(change_response=lambda response: dataclasses.replace(response, delivery=delivery))


def _delay_fault(milliseconds: int) -> Fault:
    return Fault(change_response=lambda response: dataclasses.replace(response, after_s=milliseconds / 1000))


def _block_fault(change: Callable[[Block], Block]) -> Fault:
    return Fault(change_blocks=lambda blocks, _: {name: change(block) for name, block in blocks.items()})


def _value_fault(change: Callable[[Any], Any]) -> Fault:
    """Return the fault that changes every value."""

    def changed(block: Block) -> Block:
        return Block(block.columns, [{name: change(value) for name, value in row.items()} for row in block.rows])

    return _block_fault(changed)


def _drop_columns(block: Block, columns: Iterable[str]) -> Block:
    return Block({name: kind for name, kind in block.columns.items() if name not in columns}, block.rows)


def _shorten_rows(response: Response) -> Response:
    """Remove the last value of each row."""
    document = json.loads(response.body)
    rows = (row for table in document.values() for row in table.get("data", []))
    for row in rows:
        del row[-1:]
    return dataclasses.replace(response, body=json.dumps(document).encode())


def _empty_columns(block: Block) -> list[str]:
    """Return the columns without any value."""
    return [name for name in block.columns if all(row.get(name) is None for row in block.rows)] if block.rows else []


def _shuffle_columns(block: Block) -> Block:
    """Reorder the columns, add one, and drop those without any value."""
    kept = {**_drop_columns(block, _empty_columns(block)).columns, "NEWCOLUMN": "string"}
    order = sorted(kept, key=lambda name: zlib.crc32(name.encode()))
    return Block({name: kept[name] for name in order}, [{**row, "NEWCOLUMN": "new"} for row in block.rows])


def _drop_parameter(query: Query, left_out: str) -> Query:
    return {name: value for name, value in query.items() if name != left_out}


def _truncate_pages(blocks: Blocks, query: Query) -> Blocks:
    """Return empty pages from the second on; the cursor stays."""
    later = parse_row_number(query.get("start")) > 0
    return {name: Block(block.columns, []) if later and name in PAGED else block for name, block in blocks.items()}


def _set_extreme_values(block: Block) -> Block:
    """Set prices whose differences and quotients overflow."""
    unknown = dict.fromkeys(("LCURRENTPRICE", "MARKETPRICE", "CHANGE", "LASTTOPREVPRICE"))
    ends = {"OPEN": FIRST, "HIGH": LAST, "LOW": -LAST, "LAST": LAST, "PREVPRICE": -LAST, "close": LAST, "weight": LAST}
    extreme: Row = {**unknown, **ends}
    rows = [{name: extreme.get(name, value) for name, value in row.items()} for row in block.rows]
    if rows and "close" in rows[0]:
        rows[0]["close"] = FIRST
    return Block(block.columns, rows)


def _negate_a_weight(blocks: Blocks, _query: Query) -> Blocks:
    """Return a composition whose first weight is negative, and whose weights still sum to 100 %."""
    found = [dict(row) for row in blocks["analytics"].rows] if "analytics" in blocks else []
    if found:
        found[-1]["weight"] += 2 * found[0]["weight"]
        found[0]["weight"] *= -1
        return {**blocks, "analytics": Block(blocks["analytics"].columns, found)}
    return blocks


def _set_values(**values: Any) -> Fault:
    """Return the fault that sets the columns named in *values*."""

    def changed(block: Block) -> Block:
        return Block(block.columns, [{**row, **values} for row in block.rows])

    return _block_fault(changed)


def _drop_cursors(blocks: Blocks, _query: Query) -> Blocks:
    return {name: block for name, block in blocks.items() if not name.endswith(".cursor")}


ERROR = '[{"charsetinfo": {"name": "utf-8"}}, {"securities": [{"error": "Error while acquiring data."}]}]'
FAULTS: Mapping[str, Fault] = {
    # no answer for half a minute, or until the caller disconnects
    "SLOW": _delivery_fault(Delivery.NEVER),
    # the connection ends in place of an answer, or after half of it
    "RESET": _delivery_fault(Delivery.RESET),
    "CUT": _delivery_fault(Delivery.CUT),
    # the answer arrives byte by byte
    "DRIP": _delivery_fault(Delivery.DRIP),
    # 429 with a Retry-After that is a date
    "RETRYDATE": _status_fault(429, {"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}),
    # a JSON text that ends too early
    "BROKENJSON": Fault(change_response=lambda response: dataclasses.replace(response, body=response.body[:-2])),
    # an HTML page with status 200
    "NOTJSON": _text_fault("<!DOCTYPE html><html><body><h1>Maintenance</h1></body></html>", HTML),
    # an error inside HTTP 200, in the extended format
    "ERRORBLOCK": _text_fault(ERROR),
    # an empty JSON object; columns without rows; blocks without a needed column
    "NOBLOCKS": Fault(change_blocks=lambda blocks, _: {}),
    "NOROWS": _block_fault(lambda block: Block(block.columns, [])),
    "NOCOLUMN": _block_fault(lambda block: _drop_columns(block, NEEDED)),
    # rows that are shorter than their columns; numbers written as texts; numbers at the limits of floats
    "RAGGED": Fault(change_response=_shorten_rows),
    "TEXTS": _value_fault(lambda value: str(value) if isinstance(value, int | float) else value),
    "ABSURD": _block_fault(_set_extreme_values),
    # a correct answer with its columns in another order, one new column, and no empty ones
    "SHUFFLED": _block_fault(_shuffle_columns),
    # pages of the default length, whatever length was requested, and without a cursor
    "SHORTPAGES": Fault(change_query=lambda query: _drop_parameter(query, "limit"), change_blocks=_drop_cursors),
    # every page is the first; every page after the first is empty
    "STUCK": Fault(change_query=lambda query: _drop_parameter(query, "start")),
    "TRUNCATED": Fault(change_blocks=_truncate_pages),
    # bars of other days than the requested ones: from the first day on, or up to now
    "EARLIER": Fault(change_query=lambda query: _drop_parameter(query, "from")),
    "LATER": Fault(change_query=lambda query: _drop_parameter(query, "till")),
    # a negative weight in a composition that sums to 100 %; the newest composition, whatever day was requested
    "NEGATIVE": Fault(change_blocks=_negate_a_weight),
    "NEWEST": Fault(change_query=lambda query: _drop_parameter(query, "date")),
    # the correct answer on the first trading day of a share, and for one that is traded in dollars
    "FIRSTDAY": _set_values(PREVPRICE=None, PREVDATE=None, PREVWAPRICE=None, CHANGE=None, LASTTOPREVPRICE=None),
    "DOLLARS": _set_values(CURRENCYID="USD"),
    "NO_CURRENCY": _set_values(CURRENCYID=None),
}
NUMBERED: Mapping[str, Callable[[int], Fault]] = {
    # that status; 429 with a Retry-After of that many seconds; a correct answer after that many milliseconds
    "HTTP": _status_fault,
    "RETRYAFTER": lambda seconds: _status_fault(429, {"Retry-After": str(seconds)}),
    "LATE": _delay_fault,
}
