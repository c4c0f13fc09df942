"""Flux queries to InfluxDB 2.x, `POST /api/v2/query`, and their rows."""

from __future__ import annotations

import asyncio
import csv
import importlib
import io
import math
from collections.abc import Iterator
from datetime import datetime
from typing import Any, ClassVar

from toolaccord.source_faults import INVALID_ANSWER
from toolaccord.sources.influxdb.api import QUERY_FAILED, InfluxdbError, Language, Row
from toolaccord.sources.influxdb.bucket import Bucket, collect_rows

_DIALECT = {"annotations": ["datatype", "group", "default"], "header": True, "delimiter": ","}
_LONGEST_MESSAGE = 300
_END_OF_CUT_ERROR = b",error,reference"
_PARSER = "influxdb_client.client.flux_csv_parser"


class FluxClient(Bucket):
    """A bucket queried in Flux."""

    language: ClassVar[Language] = "flux"
    """Language of `query`."""
    _library: Any = None
    """The loaded module of the parser.

    While a thread imports it, sys.modules has an unfinished one.
    """

    async def start(self) -> None:
        """Load the parser and connect. Raises InfluxdbError."""
        await self._load_parser()
        await super().start()

    async def query(self, text: str) -> list[Row]:
        """Return the rows of all yields of *text*. Raises InfluxdbError."""
        body = await self._fetch(
            "POST",
            "/api/v2/query",
            params={"org": self._address.org},
            json={"query": text, "type": "flux", "dialect": _DIALECT},
            headers={"Accept": "application/csv"},
        )
        library = self._library or await self._load_parser()
        try:
            return await collect_rows(_read_rows(library, body))
        except library.FluxQueryException as error:
            message = f"the query failed: {error.message[:_LONGEST_MESSAGE]}"
            raise self.availability.attempt().failed(InfluxdbError(message, reason=QUERY_FAILED)) from None
        except (library.FluxCsvParserException, csv.Error, ValueError, LookupError, OverflowError) as error:
            message = "POST /api/v2/query: the answer is not annotated CSV"
            raise self.availability.attempt().failed(InfluxdbError(message, reason=INVALID_ANSWER)) from error

    async def _load_parser(self) -> Any:
        """Return the module of the parser. Its first import takes 0.6 s, in which other calls go on."""
        self._library = await asyncio.to_thread(importlib.import_module, _PARSER)
        return self._library


def _read_rows(library: Any, body: bytes) -> Iterator[Row]:
    """Yield the rows of all tables of *body*.

    Raises the library's FluxQueryException for a table that holds an error. Raises its FluxCsvParserException,
    ValueError, LookupError, OverflowError or csv.Error for a body that is not annotated CSV, for two equal names of
    columns, and for a value that is not of its column's type.
    """
    parser = library.FluxCsvParser(io.BytesIO(body), library.FluxSerializationMode.stream)
    for record in parser.generator():
        if len(record.values) != len(record.row):
            raise ValueError("two columns have the same name")
        for value in record.row:
            _check(value)
        yield record.values
    if body.rstrip().endswith(_END_OF_CUT_ERROR):  # the parser waits for the error's text
        raise library.FluxQueryException("the error has no text", "")


def _check(value: Any) -> None:
    """Raise ValueError for a number that is not finite, and for a time without an offset."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not finite")
    if isinstance(value, datetime) and value.tzinfo is None:
        raise ValueError(f"{value} has no offset")
