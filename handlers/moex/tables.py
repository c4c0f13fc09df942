"""The compact JSON of ISS, read by the names of its columns.

The order of columns differs by endpoint and over time.
Shape: `{block: {"columns": [name, ...], "data": [[value, ...], ...]}}`. An error can arrive with status 200, in the
extended format: `[{"charsetinfo": ...}, {block: [{"error": sentence}]}]`.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from generated.moex.errors import IssBadResponse
from toolaccord import SourceError

Row: TypeAlias = dict[str, Any]
"""A row: its values by column."""
Number: TypeAlias = int | float
"""A number as the exchange wrote it: 270 stays an integer."""
LEAST, MOST = 1e-12, 2**64
"""The bounds of plausible amounts; results computed from amounts within them are finite."""


def read_rows(document: Any, block: str, needed: Sequence[str]) -> list[Row]:
    """Return the rows of *block*. Raises IssBadResponse unless it has all the *needed* columns."""
    names, values = _find_table(document, block)
    if missing := [column for column in needed if column not in names]:
        raise IssBadResponse(f"The exchange's block {block} has no column {', '.join(missing)}.")
    if any(not isinstance(row, list) or len(row) != len(names) for row in values):
        raise IssBadResponse(f"The exchange's block {block} has a row that does not fit its columns.")
    return [dict(zip(names, row, strict=True)) for row in values]


def read_number(row: Row, column: str) -> Number | None:
    """Return the number in *column* as ISS wrote it; None for null or a missing column.

    Raises IssBadResponse for another type, and for a number outside the plausible bounds.
    """
    value = row.get(column)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise IssBadResponse(f"The exchange's column {column} holds something that is no number.")
    if value and not LEAST <= abs(value) < MOST:
        raise IssBadResponse(f"The exchange's column {column} holds a number that is implausibly large or small.")
    return value


def read_amount(row: Row, column: str) -> Number | None:
    """Return the number in *column* as `read_number` does: a price, a volume, a weight.

    Raises IssBadResponse also for a negative one.
    """
    value = read_number(row, column)
    if value is not None and value < 0:
        raise IssBadResponse(f"The exchange's column {column} holds a negative number.")
    return value


def read_text(row: Row, column: str) -> str:
    """Return the text in *column*. Raises IssBadResponse where there is none."""
    value = row.get(column)
    if not isinstance(value, str):
        raise IssBadResponse(f"The exchange's column {column} holds something that is no text.")
    return value


def read_total(document: Any, block: str) -> int | None:
    """Return the number of rows of *block* on all pages; None where ISS does not give it."""
    cursor = f"{block}.cursor"
    if not isinstance(document, dict) or cursor not in document:
        return None
    totals = [read_number(row, "TOTAL") for row in read_rows(document, cursor, ())]
    return next((int(each) for each in totals if each is not None), None)


def _find_table(document: Any, block: str) -> tuple[list[Any], list[Any]]:
    """Return the columns and the rows of *block*."""
    match document:
        case dict() if isinstance(table := document.get(block), dict):
            columns, values = table.get("columns"), table.get("data")
            if (
                isinstance(columns, list)
                and isinstance(values, list)
                and all(isinstance(each, str) for each in columns)
            ):
                return columns, values
        case list() if (error := _find_error(document)) is not None:
            # The log shows the exchange's sentence, as the cause; a caller gets ours.
            raise IssBadResponse("The exchange answered with an error.") from SourceError(error)
        case _:
            pass
    raise IssBadResponse(f"The exchange's answer has no block {block}.")


def _find_error(document: list[Any]) -> str | None:
    """Return the sentence of an error in the extended format."""
    blocks = (
        values for part in document if isinstance(part, dict) for values in part.values() if isinstance(values, list)
    )
    errors = (row["error"] for values in blocks for row in values if isinstance(row, dict) and "error" in row)
    return next((str(sentence)[:200] for sentence in errors), None)
