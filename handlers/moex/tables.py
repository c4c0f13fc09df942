"""The compact JSON of ISS, read by the names of its columns; their order differs by endpoint and over time.

Shape: `{block: {"columns": [name, ...], "data": [[value, ...], ...]}}`. An error may come inside HTTP 200, in the extended
format: `[{"charsetinfo": ...}, {block: [{"error": sentence}]}]`.
"""

from typing import Any, TypeAlias

from generated.moex.errors import IssBadResponse
from runtime.errors import SourceError

Row: TypeAlias = dict[str, Any]
"""A row: its values by column."""


def first_row(document: Any, block: str, columns: tuple[str, ...]) -> Row | None:
    """Return the first row of *block*, None when it has no rows; raises IssBadResponse unless it has all the *columns*."""
    names, rows = _table(document, block)
    if missing := [column for column in columns if column not in names]:
        raise IssBadResponse(f"The exchange's block {block} has no column {', '.join(missing)}.")
    if not rows:
        return None
    if not isinstance(rows[0], list) or len(rows[0]) != len(names):
        raise IssBadResponse(f"The exchange's block {block} has a row that does not fit its columns.")
    return dict(zip(names, rows[0], strict=True))


def number(row: Row, column: str) -> float | None:
    """Return the number in *column* as the exchange wrote it, None when it is null."""
    value = row[column]
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise IssBadResponse(f"The exchange's column {column} holds something that is no number.")
    return value


def text(row: Row, column: str) -> str:
    """Return the text in *column*."""
    value = row[column]
    if not isinstance(value, str):
        raise IssBadResponse(f"The exchange's column {column} holds something that is no text.")
    return value


def _table(document: Any, block: str) -> tuple[list[Any], list[Any]]:
    """Return the columns and the rows of *block*."""
    match document:
        case dict() if isinstance(table := document.get(block), dict):
            columns, rows = table.get("columns"), table.get("data")
            if isinstance(columns, list) and isinstance(rows, list):
                return columns, rows
        case list() if (error := _error(document)) is not None:
            # The exchange's own words are for the log, as its cause; a caller gets ours.
            raise IssBadResponse("The exchange answered with an error.") from SourceError(error)
        case _:
            pass
    raise IssBadResponse(f"The exchange's answer has no block {block}.")


def _error(document: list[Any]) -> str | None:
    """Return the sentence of an error in the extended format."""
    blocks = (rows for part in document if isinstance(part, dict) for rows in part.values() if isinstance(rows, list))
    said = (row["error"] for rows in blocks for row in rows if isinstance(row, dict) and "error" in row)
    return next((str(sentence)[:200] for sentence in said), None)
