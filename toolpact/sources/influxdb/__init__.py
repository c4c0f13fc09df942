"""InfluxDB: what handlers see of it, and how a contract declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, cast
from urllib.parse import urlsplit

from toolpact.errors import SourceError
from toolpact.sources import Source
from toolpact.timing.clock import Clock

Row: TypeAlias = dict[str, Any]
"""A row: its values by column. Times are milliseconds since 1970, or, from Flux, aware datetimes."""

Language: TypeAlias = Literal["flux", "influxql", "sql"]
"""What a source is asked in: Flux (InfluxDB 2.x), InfluxQL (1.x, 2.x, 3.x), or the SQL of a SQLite file."""


class InfluxdbError(SourceError):
    """InfluxDB did not answer, or refused a query."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status; None when there was no answer, or when success carried an error inside."""


class Influxdb(Source, Protocol):
    """A bucket of an InfluxDB, with a pool of connections."""

    @property
    def language(self) -> Language:
        """What `query` understands."""

    @property
    def bucket(self) -> str:
        """The bucket, in InfluxQL the database, that holds the data."""

    async def query(self, text: str) -> list[Row]:
        """Return the rows of a query, of all its statements or yields one after the other. Raises InfluxdbError.

        There are no bound parameters that every version understands: what goes into *text* must be checked and quoted.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class InfluxdbSource:
    """A bucket of an InfluxDB, as the contract declares it."""

    name: str
    """How tools and handlers call it."""
    url: str
    """The name of the setting that holds the address; `sqlite:///path` is a file with the same measurements as tables."""
    token: str
    """The name of the setting that holds the token, or `user:password` where InfluxDB is a 1.x with users."""
    org: str
    """The name of the setting that holds the organisation; InfluxQL needs none."""
    bucket: str
    """The name of the setting that holds the bucket."""
    query_language: str
    """The name of the setting that says `flux` or `influxql`."""
    max_connections: int
    """How many connections there may be."""
    idle_timeout_s: float
    """Seconds after which an unused connection is closed."""
    connection_timeout_s: float
    """Seconds within which a connection must be had."""

    @property
    def kind(self) -> str:
        """What answers."""
        return "influxdb"

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Influxdb:
        """Return the bucket, not yet connected."""
        given = Access(
            url=str(settings[self.url]),
            token=settings[self.token] or "",
            org=settings[self.org] or "",
            bucket=str(settings[self.bucket]),
        )
        if given.url.lower().startswith("sqlite:"):
            from toolpact.sources.influxdb.sqlite import SqliteFile  # noqa: PLC0415 - only for a server that opens one

            return SqliteFile(self, given, clock)
        if cast("Language", settings[self.query_language]) == "flux":
            from toolpact.sources.influxdb.flux import FluxClient  # noqa: PLC0415 - see above

            return FluxClient(self, given)
        from toolpact.sources.influxdb.influxql import InfluxqlClient  # noqa: PLC0415 - see above

        return InfluxqlClient(self, given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Where a bucket is, and what opens it."""

    url: str
    token: str
    org: str
    bucket: str

    @property
    def loopback(self) -> bool:
        """Whether the address is on this machine, which no proxy can reach."""
        return urlsplit(self.url).hostname in {"127.0.0.1", "::1", "localhost"}
