"""Values of a result's members, as charts take them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

from toolaccord_codegen.cli.call.plots.charts import Column
from toolaccord_codegen.diagnostics import pluralise
from toolaccord_codegen.reporting.charts.frame import LARGEST


class NothingToDrawError(Exception):
    """A result has nothing that a chart could show. The text says what is missing."""


def read_aligned(columns: Sequence[Column], body: Any) -> list[list[Any]]:
    """Return the values of columns of the same items.

    Raises NothingToDrawError for those of others.
    """
    read = [each.read(body) for each in columns]
    for column, values in zip(columns, read, strict=True):
        if len(values) != len(read[0]):
            counts = f"{pluralise(len(read[0]), 'value')} of {columns[0].label}, and {len(values)} of {column.label}"
            raise NothingToDrawError(f"the result has {counts}")
    return read


def read_number(value: Any) -> float | None:
    """Return a number that a chart can show; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if abs(number) <= LARGEST else None


def read_times(values: Sequence[Any]) -> list[datetime | None]:
    """Return texts as times in the zone of the first.

    None for what is no time, or none in that zone.
    """
    times = [_read_time(each) for each in values]
    zone = next((each.tzinfo for each in times if each is not None and each.tzinfo), None)
    return times if zone is None else [each and _move(each, zone) for each in times]


def _read_time(value: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _move(time: datetime, zone: tzinfo) -> datetime | None:
    """Return a time in a zone; None where the calendar ends before."""
    try:
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(zone)
    except OverflowError:
        return None
