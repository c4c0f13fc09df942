"""Annotated CSV, the form of Flux results.

Specification: https://docs.influxdata.com/influxdb/v2/reference/syntax/annotated-csv/
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from toolaccord.sources.influxdb.api import InfluxdbError, Row

_LONGEST_MESSAGE = 300
_Column: TypeAlias = tuple[str, Callable[[str], Any], str]
"""Name, reader of a value, and default value."""


def read_tables(body: bytes) -> Iterator[Row]:
    """Yield the rows of all tables.

    Raises InfluxdbError with the server's message for a table that holds an error. Raises ValueError, LookupError or
    csv.Error for a body that is not annotated CSV, and for a value that is not of its column's type.
    """
    annotations: dict[str, list[str]] = {}
    columns: list[_Column] | None = None
    text = io.TextIOWrapper(io.BytesIO(body), "utf-8", newline="")  # StringIO would take five times the memory
    lines = filter(None, csv.reader(text))  # an empty line ends a table
    for cells in lines:
        if cells[1:] == ["error", "reference"]:
            raise InfluxdbError(f"the query failed: {next(lines, ['', ''])[1][:_LONGEST_MESSAGE]}")
        if cells[0].startswith("#"):
            if columns is not None:
                annotations, columns = {}, None
            annotations[cells[0]] = cells
        elif columns is None:
            columns = _columns(cells, annotations)
        else:
            yield {
                name: read(cell or default) if cell or default else None
                for (name, read, default), cell in zip(columns, cells[1:], strict=True)
            }


def _columns(names: Sequence[str], annotations: Mapping[str, Sequence[str]]) -> list[_Column]:
    """Return the columns of a table, without the first one, which is empty."""
    types, defaults = annotations["#datatype"], annotations["#default"]
    columns = [
        (name, _READERS.get(kind, str), default) for name, kind, default in zip(names, types, defaults, strict=True)
    ]
    return columns[1:]


def _read_boolean(text: str) -> bool:
    return {"true": True, "false": False}[text]


def _read_double(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text} is not finite")
    return number


def _read_time(text: str) -> datetime:
    if (time := datetime.fromisoformat(text)).tzinfo is None:
        raise ValueError(f"{text} has no offset")
    return time


_READERS: Mapping[str, Callable[[str], Any]] = {
    "boolean": _read_boolean,
    "double": _read_double,
    "long": int,
    "unsignedLong": int,
    "dateTime:RFC3339": _read_time,
    "dateTime:RFC3339Nano": _read_time,
}
"""Readers by data type; values of any other type stay text."""
