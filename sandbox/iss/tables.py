"""The JSON of ISS: blocks of columns and rows, selected by the query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeAlias

Row: TypeAlias = Mapping[str, Any]
"""One row by column name."""
Query: TypeAlias = Mapping[str, str]
Columns: TypeAlias = Mapping[str, str]
"""The type of each column: string, date, time, datetime, int32, int64 or double."""

BYTES = {"date": 10, "time": 10, "datetime": 19, "string": 765}
"""The `bytes` of a column in the metadata, by its type."""


@dataclass(frozen=True, slots=True)
class Block:
    """A table."""

    columns: Columns
    """In the order of the exchange."""
    rows: Sequence[Row]


Blocks: TypeAlias = Mapping[str, Block]


def parse_columns(text: str) -> Columns:
    """Read the columns in *text*, each `NAME` (a string) or `NAME:type`."""
    columns = (column.partition(":") for column in text.split())
    return {name: kind or "string" for name, _, kind in columns}


def parse_row_number(text: str | None) -> int:
    """Return the requested number of a row; 0 without a valid one."""
    return int(text) if text is not None and text.isdecimal() else 0


def parse_date(text: str | None, default: date) -> date | None:
    """Return the requested day, with or without a time; None for an invalid one."""
    try:
        return default if not text else date.fromisoformat(text[:10])
    except ValueError:
        return None


def render_document(blocks: Blocks, query: Query) -> Any:
    """Render *blocks* by the query's iss.only, iss.meta, iss.data, iss.json and NAME.columns."""
    only = query.get("iss.only", "").split(",") if query.get("iss.only") else list(blocks)
    chosen = {
        name: _select_columns(block, query.get(f"{name}.columns")) for name, block in blocks.items() if name in only
    }
    if query.get("iss.json") == "extended":
        records = {name: _render_records(block, query) for name, block in chosen.items()}
        return [{"charsetinfo": {"name": "utf-8"}}, records]
    return {name: _render_table(block, query) for name, block in chosen.items()}


def _select_columns(block: Block, requested: str | None) -> Block:
    """Return the block with the requested columns, in the exchange's order."""
    if not requested:
        return block
    names = requested.split(",")
    return Block({name: kind for name, kind in block.columns.items() if name in names}, block.rows)


def _render_table(block: Block, query: Query) -> dict[str, Any]:
    metadata = {"metadata": _render_metadata(block)} if query.get("iss.meta") != "off" else {}
    data = [[_json_value(row.get(name)) for name in block.columns] for row in block.rows]
    return metadata | {"columns": list(block.columns)} | ({"data": data} if query.get("iss.data") != "off" else {})


def _render_records(block: Block, query: Query) -> list[Any]:
    """Return the rows in the extended format, after the metadata if there are any."""
    records = [{name: _json_value(row.get(name)) for name in block.columns} for row in block.rows]
    return records if query.get("iss.meta") == "off" else [{"metadata": _render_metadata(block)}, records]


def _render_metadata(block: Block) -> dict[str, Any]:
    return {
        name: {"type": kind} | ({"bytes": BYTES[kind], "max_size": 0} if kind in BYTES else {})
        for name, kind in block.columns.items()
    }


def _json_value(value: Any) -> Any:
    """Return *value* as the exchange writes it: a whole number without a fraction, in any type."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value
