"""Pages of records, from the rows of one statement that counts them too."""

from collections.abc import Sequence
from decimal import Decimal
from typing import TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError

from toolaccord import Page, SourceError
from toolaccord.sources.postgresql import Row

Record = TypeVar("Record", bound=BaseModel)


def to_page(model: type[Record], rows: Sequence[Row], key: str) -> Page[Record]:
    """Return the page of *rows*, and their `total`.

    Past the last page a row holds the total alone, and its *key* is null.
    """
    return Page([to_record(model, row) for row in rows if row[key] is not None], rows[0]["total"])


def to_record(model: type[Record], row: Row) -> Record:
    """Return the record whose fields are columns of *row*: UUIDs as texts, amounts as floats.

    Raises SourceError for values of other types, such as a number in a JSON column of objects.
    """
    values = {name: row[name] for name in model.model_fields}
    for name, value in values.items():
        if isinstance(value, UUID):
            values[name] = str(value)
        elif isinstance(value, Decimal):
            values[name] = float(value)
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise SourceError(f"a row is no {model.__name__}") from error
