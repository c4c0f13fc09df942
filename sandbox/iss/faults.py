"""What can go wrong with an answer, by name. A name that takes a number ends in it: HTTP503, RETRYAFTER2, LATE250.

A fault reaches in at up to three places: what is asked, what is found, and how it is sent. Wherever it does not, the answer is honest, so
that a caller has nothing but the fault to notice.
"""

import dataclasses
import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.iss.sockets import Delivery, Response
from sandbox.iss.tables import Block, Blocks, Query, Row, number

FIRST, LAST = 5e-324, 1.7e308
"""The least number there is and about the greatest: what is computed from them is beyond what a number can be."""
NEEDED = {"close", "SYSTIME", "weight"}
"""Columns without which no block is of use."""
PAGED = {"candles", "analytics"}
"""Blocks that come in pages."""
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A kind of misbehaviour."""

    asks: Callable[[Query], Query] = lambda query: query
    """What is answered in place of what was asked."""
    finds: Callable[[Blocks, Query], Blocks] = lambda blocks, query: blocks
    """What is shown in place of what was found."""
    sends: Callable[[Response], Response] = lambda response: response
    """What is sent in place of that."""


def fault(name: str) -> Fault | None:
    """The fault that is called *name*; None for any other name."""
    if (known := FAULTS.get(name)) is not None:
        return known
    match = re.fullmatch(r"([A-Z]+)([0-9]{1,6})", name)
    made = NUMBERED.get(match[1]) if match is not None else None
    return made(int(match[2])) if match is not None and made is not None else None


def _status(status: int, headers: Mapping[str, str] | None = None) -> Fault:
    """An HTML page with *status*, as a gateway before the exchange writes it."""
    page = f"<html><body><h1>{status}</h1></body></html>".encode()
    return Fault(sends=lambda _: Response(body=page, status=status, kind=HTML, headers=headers or {}))


def _said(text: str, kind: str = "application/json; charset=utf-8") -> Fault:
    """*text* with status 200."""
    return Fault(sends=lambda _: Response(body=text.encode(), kind=kind))


def _delivered(delivery: Delivery) -> Fault:
    return Fault(sends=lambda response: dataclasses.replace(response, delivery=delivery))


def _late(milliseconds: int) -> Fault:
    return Fault(sends=lambda response: dataclasses.replace(response, after_s=milliseconds / 1000))


def _blocks(change: Callable[[Block], Block]) -> Fault:
    return Fault(finds=lambda blocks, _: {name: change(block) for name, block in blocks.items()})


def _values(change: Callable[[Any], Any]) -> Fault:
    """Every value changed."""

    def changed(block: Block) -> Block:
        return Block(block.kinds, [{name: change(value) for name, value in row.items()} for row in block.rows])

    return _blocks(changed)


def _without(block: Block, columns: Iterable[str]) -> Block:
    return Block({name: kind for name, kind in block.kinds.items() if name not in columns}, block.rows)


def _ragged(response: Response) -> Response:
    """Rows that lack their last value."""
    document = json.loads(response.body)
    rows = (row for table in document.values() for row in table.get("data", []))
    for row in rows:
        del row[-1:]
    return dataclasses.replace(response, body=json.dumps(document).encode())


def _optional(block: Block) -> list[str]:
    """Columns in which no row has a value."""
    return [name for name in block.kinds if all(row.get(name) is None for row in block.rows)] if block.rows else []


def _shuffled(block: Block) -> Block:
    """The columns in another order, one of them new, and none of those without any value."""
    kept = {**_without(block, _optional(block)).kinds, "NEWCOLUMN": "string"}
    order = sorted(kept, key=lambda name: zlib.crc32(name.encode()))
    return Block({name: kept[name] for name in order}, [{**row, "NEWCOLUMN": "new"} for row in block.rows])


def _query_without(query: Query, left_out: str) -> Query:
    return {name: value for name, value in query.items() if name != left_out}


def _truncated(blocks: Blocks, query: Query) -> Blocks:
    """Nothing from the second page on, whatever the cursor says."""
    later = number(query.get("start")) > 0
    return {name: Block(block.kinds, []) if later and name in PAGED else block for name, block in blocks.items()}


def _absurd(block: Block) -> Block:
    """Prices whose differences and quotients are beyond what a number can be."""
    unknown = dict.fromkeys(("LCURRENTPRICE", "MARKETPRICE", "CHANGE", "LASTTOPREVPRICE"))
    ends = {"OPEN": FIRST, "HIGH": LAST, "LOW": -LAST, "LAST": LAST, "PREVPRICE": -LAST, "close": LAST, "weight": LAST}
    absurd: Row = {**unknown, **ends}
    rows = [{name: absurd.get(name, value) for name, value in row.items()} for row in block.rows]
    if rows and "close" in rows[0]:
        rows[0]["close"] = FIRST
    return Block(block.kinds, rows)


def _without_cursors(blocks: Blocks, _query: Query) -> Blocks:
    return {name: block for name, block in blocks.items() if not name.endswith(".cursor")}


ERROR = '[{"charsetinfo": {"name": "utf-8"}}, {"securities": [{"error": "Error while acquiring data."}]}]'
FAULTS: Mapping[str, Fault] = {
    # nothing for half a minute, or until the caller hangs up
    "SLOW": _delivered(Delivery.NEVER),
    # the connection ends in place of an answer, or after half of it
    "RESET": _delivered(Delivery.RESET),
    "CUT": _delivered(Delivery.CUT),
    # the answer comes byte by byte
    "DRIP": _delivered(Delivery.DRIP),
    # 429 with a Retry-After that is a date
    "RETRYDATE": _status(429, {"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}),
    # a JSON text that ends too early
    "BROKENJSON": Fault(sends=lambda response: dataclasses.replace(response, body=response.body[:-2])),
    # an HTML page with status 200
    "NOTJSON": _said("<!DOCTYPE html><html><body><h1>Maintenance</h1></body></html>", HTML),
    # an error inside HTTP 200, in the extended format
    "ERRORBLOCK": _said(ERROR),
    # an empty JSON object; columns without rows; blocks that lack a column they cannot do without
    "NOBLOCKS": Fault(finds=lambda blocks, _: {}),
    "NOROWS": _blocks(lambda block: Block(block.kinds, [])),
    "NOCOLUMN": _blocks(lambda block: _without(block, NEEDED)),
    # rows that are shorter than their columns; numbers written as texts; numbers at the edge of what one can be
    "RAGGED": Fault(sends=_ragged),
    "TEXTS": _values(lambda value: str(value) if isinstance(value, int | float) else value),
    "ABSURD": _blocks(_absurd),
    # an honest answer whose columns have another order, with one that is new and without those that are empty
    "SHUFFLED": _blocks(_shuffled),
    # pages of the usual length whatever length was asked for, without a cursor that tells of more
    "SHORTPAGES": Fault(asks=lambda query: _query_without(query, "limit"), finds=_without_cursors),
    # every page is the first; every page after the first is empty
    "STUCK": Fault(asks=lambda query: _query_without(query, "start")),
    "TRUNCATED": Fault(finds=_truncated),
}
NUMBERED: Mapping[str, Callable[[int], Fault]] = {
    # that status; 429 and a Retry-After of so many seconds; an honest answer after so many milliseconds
    "HTTP": _status,
    "RETRYAFTER": lambda seconds: _status(429, {"Retry-After": str(seconds)}),
    "LATE": _late,
}
