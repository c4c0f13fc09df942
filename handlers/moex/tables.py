"""The compact JSON of ISS, read by the names of its columns; their order differs by endpoint and over time.

Shape: `{block: {"columns": [name, ...], "data": [[value, ...], ...]}}`. An error may come inside HTTP 200, in the extended
format: `[{"charsetinfo": ...}, {block: [{"error": sentence}]}]`.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from generated.moex.errors import IssBadResponse
from toolpact import SourceError

Row: TypeAlias = dict[str, Any]
"""A row: its values by column."""
Number: TypeAlias = int | float
"""A number as the exchange wrote it: 270 stays an integer."""
LEAST, MOST = 1e-12, 2**64
"""Between them lie all amounts that can be meant; what is worked out from such numbers is a number, too."""


def rows(document: Any, block: str, needed: Sequence[str]) -> list[Row]:
    """Return the rows of *block*. Raises IssBadResponse unless it has all the *needed* columns; others may come and go."""
    names, values = _table(document, block)
    if missing := [column for column in needed if column not in names]:
        raise IssBadResponse(f"The exchange's block {block} has no column {', '.join(missing)}.")
    if any(not isinstance(row, list) or len(row) != len(names) for row in values):
        raise IssBadResponse(f"The exchange's block {block} has a row that does not fit its columns.")
    return [dict(zip(names, row, strict=True)) for row in values]


def number(row: Row, column: str) -> Number | None:
    """Return the number in *column* as the exchange wrote it; None where it is null, or there is no such column.

    Raises IssBadResponse where there is something else, or a number too large or too small to be meant.
    """
    value = row.get(column)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise IssBadResponse(f"The exchange's column {column} holds something that is no number.")
    if value and not LEAST <= abs(value) < MOST:
        raise IssBadResponse(f"The exchange's column {column} holds a number that cannot be meant.")
    return value


def text(row: Row, column: str) -> str:
    """Return the text in *column*. Raises IssBadResponse where there is none."""
    value = row.get(column)
    if not isinstance(value, str):
        raise IssBadResponse(f"The exchange's column {column} holds something that is no text.")
    return value


def total(document: Any, block: str) -> int | None:
    """Return how many rows *block* has on all pages; None where the exchange does not say."""
    cursor = f"{block}.cursor"
    if not isinstance(document, dict) or cursor not in document:
        return None
    said = [number(row, "TOTAL") for row in rows(document, cursor, ())]
    return next((int(each) for each in said if each is not None), None)


def _table(document: Any, block: str) -> tuple[list[Any], list[Any]]:
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
        case list() if (error := _error(document)) is not None:
            # The exchange's own words are for the log, as its cause; a caller gets ours.
            raise IssBadResponse("The exchange answered with an error.") from SourceError(error)
        case _:
            pass
    raise IssBadResponse(f"The exchange's answer has no block {block}.")


def _error(document: list[Any]) -> str | None:
    """Return the sentence of an error in the extended format."""
    blocks = (
        values for part in document if isinstance(part, dict) for values in part.values() if isinstance(values, list)
    )
    said = (row["error"] for values in blocks for row in values if isinstance(row, dict) and "error" in row)
    return next((str(sentence)[:200] for sentence in said), None)
