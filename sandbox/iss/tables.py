"""The JSON of ISS: blocks of columns and data, of which a caller may choose some and leave out the metadata."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeAlias

Row: TypeAlias = Mapping[str, Any]
"""One row by column name."""
Query: TypeAlias = Mapping[str, str]
Kinds: TypeAlias = Mapping[str, str]
"""What ISS calls the type of each column: string, date, time, datetime, int32, int64 or double."""

BYTES = {"date": 10, "time": 10, "datetime": 19, "string": 765}
"""How long ISS says a value may be, by the type of its column."""


@dataclass(frozen=True, slots=True)
class Block:
    """A table."""

    kinds: Kinds
    """In the order of the exchange."""
    rows: Sequence[Row]


Blocks: TypeAlias = Mapping[str, Block]


def kinds(text: str) -> Kinds:
    """Read the columns in *text*, each `NAME` (a string) or `NAME:type`."""
    columns = (column.partition(":") for column in text.split())
    return {name: kind or "string" for name, _, kind in columns}


def number(text: str | None) -> int:
    """The number of a row that a query asks for; the first where it says none that can be read."""
    return int(text) if text is not None and text.isdecimal() else 0


def date_of(text: str | None, default: date) -> date | None:
    """The day that a query asks for, with or without a time; None where it cannot be read."""
    try:
        return default if not text else date.fromisoformat(text[:10])
    except ValueError:
        return None


def document(blocks: Blocks, query: Query) -> Any:
    """Render *blocks* as the query's iss.only, iss.meta, iss.data, iss.json and NAME.columns ask."""
    only = query.get("iss.only", "").split(",") if query.get("iss.only") else list(blocks)
    chosen = {name: _chosen(block, query.get(f"{name}.columns")) for name, block in blocks.items() if name in only}
    if query.get("iss.json") == "extended":
        records = {name: _records(block, query) for name, block in chosen.items()}
        return [{"charsetinfo": {"name": "utf-8"}}, records]
    return {name: _table(block, query) for name, block in chosen.items()}


def _chosen(block: Block, asked: str | None) -> Block:
    """The columns that were asked for, in the exchange's order."""
    if not asked:
        return block
    names = asked.split(",")
    return Block({name: kind for name, kind in block.kinds.items() if name in names}, block.rows)


def _table(block: Block, query: Query) -> dict[str, Any]:
    metadata = {"metadata": _metadata(block)} if query.get("iss.meta") != "off" else {}
    data = [[_plain(row.get(name)) for name in block.kinds] for row in block.rows]
    return metadata | {"columns": list(block.kinds)} | ({"data": data} if query.get("iss.data") != "off" else {})


def _records(block: Block, query: Query) -> list[Any]:
    """The rows of the extended format, after the metadata if there is any."""
    records = [{name: _plain(row.get(name)) for name in block.kinds} for row in block.rows]
    return records if query.get("iss.meta") == "off" else [{"metadata": _metadata(block)}, records]


def _metadata(block: Block) -> dict[str, Any]:
    return {
        name: {"type": kind} | ({"bytes": BYTES[kind], "max_size": 0} if kind in BYTES else {})
        for name, kind in block.kinds.items()
    }


def _plain(value: Any) -> Any:
    """*value* as the exchange writes it: a round number is written without a fraction, whatever its type is called."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value
