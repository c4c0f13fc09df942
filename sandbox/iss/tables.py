"""The compact JSON of ISS: blocks of columns and data, of which a caller may choose some and leave out the metadata."""

import zlib
from collections.abc import Mapping
from typing import Any

Row = dict[str, Any]
"""One row by column name."""


def tables(blocks: Mapping[str, tuple[list[str], list[Row]]], query: Mapping[str, str], seed: str) -> dict[str, Any]:
    """Render *blocks* (columns and rows by name) as the query's iss.only, iss.meta and NAME.columns ask.

    The columns of a block stand in an order that *seed* decides: whoever reads them by position is soon found out.
    """
    chosen = query.get("iss.only", "").split(",") if query.get("iss.only") else list(blocks)
    return {
        name: _table(_shuffled(_wanted(columns, query.get(f"{name}.columns")), seed), rows, query)
        for name, (columns, rows) in blocks.items()
        if name in chosen
    }


def _wanted(columns: list[str], asked: str | None) -> list[str]:
    return columns if not asked else [column for column in columns if column in asked.split(",")]


def _shuffled(columns: list[str], seed: str) -> list[str]:
    return sorted(columns, key=lambda column: zlib.crc32(f"{seed}.{column}".encode()))


def _table(columns: list[str], rows: list[Row], query: Mapping[str, str]) -> dict[str, Any]:
    metadata = (
        {} if query.get("iss.meta") == "off" else {"metadata": {column: _kind(column, rows) for column in columns}}
    )
    return metadata | {"columns": columns, "data": [[row[column] for column in columns] for row in rows]}


def _kind(column: str, rows: list[Row]) -> dict[str, Any]:
    """What ISS says about a column: its type, and the size of a text."""
    match rows[0][column] if rows else None:
        case int():
            return {"type": "int64"}
        case str():
            return {"type": "string", "bytes": 765, "max_size": 0}
        case _:
            return {"type": "double"}
