"""InfluxQL queries to InfluxDB 1.x, 2.x and 3.x: `GET /query`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import orjson

from toolaccord.source_faults import INVALID_ANSWER
from toolaccord.sources.influxdb.api import QUERY_FAILED, InfluxdbError, Language, Row
from toolaccord.sources.influxdb.bucket import Bucket, collect_rows

_LONGEST_MESSAGE = 300
_MAX_TAGS = 100
"""Tags of a series; each of its rows repeats them."""


class InfluxqlClient(Bucket):
    """A bucket queried in InfluxQL; 2.x maps the database to the bucket of the same name."""

    language: ClassVar[Language] = "influxql"
    """Language of `query`."""

    async def query(self, text: str) -> list[Row]:
        """Return the rows of all statements of *text*. Raises InfluxdbError."""
        # 3.x reads parameters from the URL alone; POST is for statements that write.
        params = {"db": self.bucket, "q": text, "epoch": "ms"}
        body = await self._fetch("GET", "/query", params=params, headers={"Accept": "application/json"})
        try:
            answer: dict[str, Any] = orjson.loads(body)
            _raise_error_in(answer, self.bucket)
            return await collect_rows(_rows(answer))
        except InfluxdbError as error:
            self.availability.attempt().failed(error)
            raise
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            found = InfluxdbError("GET /query: the answer is not a query result", reason=INVALID_ANSWER)
            raise self.availability.attempt().failed(found) from error


def _raise_error_in(answer: dict[str, Any], bucket: str) -> None:
    """Raise the error that *answer* holds.

    A successful answer may hold an error, and half of the rows.
    """
    parts = (answer, *answer.get("results", ()))
    if errors := [str(part["error"]) for part in parts if "error" in part]:
        # 1.x names a missing database only for a single statement; of several it reports "not executed".
        message = f"database {bucket}: {'; '.join(errors)}"
        raise InfluxdbError(message[:_LONGEST_MESSAGE], reason=QUERY_FAILED)
    if any(part.get("partial") for each in parts for part in (each, *(each.get("series") or ()))):
        reason = "it cut the answer short; request less, or raise its limits of rows"
        raise InfluxdbError("the server cut the answer short, or has too many rows to report otherwise", reason=reason)


def _rows(answer: dict[str, Any]) -> Iterator[Row]:
    """Yield the rows. Without data, `series` is missing (1.x) or empty (3.x)."""
    for result in answer["results"]:
        for series in result.get("series") or ():
            columns, tags = series["columns"], series.get("tags") or {}
            if len(tags) > _MAX_TAGS:
                raise ValueError("a series has too many tags")
            for values in series["values"]:
                yield tags | dict(zip(columns, values, strict=True))
