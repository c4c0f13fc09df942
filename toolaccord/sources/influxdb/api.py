"""InfluxDB as handlers use it: the protocol, its error and addresses of buckets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias
from urllib.parse import urlsplit

from toolaccord.errors import SourceError
from toolaccord.source_faults import BUSY, LOST, NO_ANSWER, explain_status
from toolaccord.sources import Source
from toolaccord.urls import is_loopback

Row: TypeAlias = dict[str, Any]
"""Values of a row by column name.

Times are milliseconds since 1970, or, from Flux, aware datetimes. Numbers are finite.
"""

Language: TypeAlias = Literal["flux", "influxql"]
"""Query language: Flux (2.x) or InfluxQL (1.x, 2.x, 3.x)."""

QUERY_FAILED = "it could not run the query; look at its log, and at the names of database and measurement"
"""Reason of an error in a successful answer."""
_SERVER_ERROR = 500


class InfluxdbError(SourceError):
    """InfluxDB did not answer, rejected a query, or sent an invalid or too large result."""

    service = "influxdb"
    fact = "status"
    summary = LOST

    def __init__(
        self, message: str, *, status: int | None = None, is_lost: bool = False, reason: str | None = None
    ) -> None:
        """*is_lost* says that there was no answer."""
        super().__init__(message, reason=reason)
        self._is_lost = is_lost
        if status is not None:
            self.remedy = explain_status(status)
        self.status = status
        """HTTP status; None if there was no answer, or if a successful answer held an error."""

    @property
    def is_timeout(self) -> bool:
        """Return True if no connection or no answer came in time."""
        return self.reason in (BUSY, NO_ANSWER)

    @property
    def is_outage(self) -> bool:
        """Return False if the source answered, with an error."""
        return self._is_lost or (self.status or 0) >= _SERVER_ERROR


class Influxdb(Source, Protocol):
    """A bucket of an InfluxDB, with a connection pool."""

    @property
    def language(self) -> Language:
        """Language of `query`."""

    @property
    def bucket(self) -> str:
        """Name of the bucket; in InfluxQL, of the database."""

    async def query(self, text: str) -> list[Row]:
        """Return the rows of all statements or yields of a query in order. Raises InfluxdbError.

        No version-independent way to bind parameters exists: check and quote the values that go into *text*.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketAddress:
    """Address of a bucket, and its credentials."""

    url: str
    """Address of the InfluxDB."""
    token: str
    """Token of 2.x or 3.x, `user:password` of 1.x; empty for none."""
    org: str
    """Organisation; only Flux needs one."""
    bucket: str
    """Name of the bucket; in 1.x, of the database."""

    @property
    def is_loopback(self) -> bool:
        """True if the URL names this machine, which no proxy can reach."""
        return is_loopback(urlsplit(self.url).hostname)
