"""InfluxDB 2.x in Flux, by the official client."""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from toolpact.sources import PoolState
from toolpact.sources.addresses import connecting
from toolpact.sources.influxdb import Access, InfluxdbError, InfluxdbSource, Language, Row
from toolpact.sources.request_count import RequestCount

if TYPE_CHECKING:
    import aiohttp
    from influxdb_client.client.influxdb_client_async import InfluxDBClientAsync

_CLOSING_S = 1.0


class FluxClient:
    """A bucket that is asked in Flux; connects at the first query, and again after the server was away."""

    def __init__(self, declared: InfluxdbSource, given: Access) -> None:
        self._declared = declared
        self._given = given
        self._client: InfluxDBClientAsync | None = None
        self._requests = RequestCount(declared.max_connections)

    @property
    def kind(self) -> str:
        """What answers."""
        return self._declared.kind

    @property
    def language(self) -> Language:
        """What `query` understands."""
        return "flux"

    @property
    def bucket(self) -> str:
        """The bucket."""
        return self._given.bucket

    async def start(self) -> None:
        """Load the client; it connects at the first query."""
        self._opened()

    async def check(self) -> None:
        """Ask the server for nothing. Raises InfluxdbError."""
        with connecting(InfluxdbError):
            client = self._opened()
        with self._requests.one_more(), _faults(self._declared):
            await client.ping()  # raises what it meets, and says nothing else

    async def close(self) -> None:
        """Close every connection."""
        client, self._client = self._client, None
        if client is not None:
            await asyncio.wait_for(client.close(), _CLOSING_S)  # type: ignore[no-untyped-call]

    def pool_state(self) -> PoolState:
        """Return how many of the client's connections are in use."""
        return self._requests.pool_state()

    async def query(self, text: str) -> list[Row]:
        """Return the rows of all yields of *text*. Raises InfluxdbError."""
        with connecting(InfluxdbError):
            client = self._opened()
        with self._requests.one_more(), _faults(self._declared):
            tables = await client.query_api().query(text)
        return [record.values for table in tables for record in table.records]

    def _opened(self) -> InfluxDBClientAsync:
        if self._client is None:
            # 280 ms that a server need not pay before its first answer
            import aiohttp  # noqa: PLC0415
            from influxdb_client.client.influxdb_client_async import InfluxDBClientAsync  # noqa: PLC0415

            declared, given = self._declared, self._given
            # A query takes as long as its caller's deadline lets it; only connecting has a limit here.
            limit = aiohttp.ClientTimeout(
                total=None, connect=declared.connection_timeout_s, sock_connect=declared.connection_timeout_s
            )
            self._client = InfluxDBClientAsync(
                given.url,
                token=given.token,
                org=given.org,
                timeout=limit,
                client_session_type=self._session,
                client_session_kwargs={"trust_env": not given.loopback},
            )
        return self._client

    def _session(self, **options: Any) -> aiohttp.ClientSession:
        """Return a session with the declared pool: the client has no option for the time a connection may be idle."""
        import aiohttp  # noqa: PLC0415 - see _opened

        options["connector"] = aiohttp.TCPConnector(
            limit=self._declared.max_connections, keepalive_timeout=self._declared.idle_timeout_s
        )
        return aiohttp.ClientSession(**options)


@contextmanager
def _faults(declared: InfluxdbSource) -> Iterator[None]:
    """Raise what the library raises as InfluxdbError."""
    import aiohttp  # noqa: PLC0415 - see _opened
    from influxdb_client.client.exceptions import InfluxDBError  # noqa: PLC0415
    from influxdb_client.client.flux_csv_parser import (  # noqa: PLC0415
        FluxCsvParserException,
        FluxQueryException,
    )
    from influxdb_client.rest import ApiException  # noqa: PLC0415

    try:
        yield
    except TimeoutError as error:  # an OSError too
        raise InfluxdbError(f"no connection within {declared.connection_timeout_s} s") from error
    except ApiException as error:
        raise InfluxdbError(f"status {error.status}: {error.message}", status=error.status) from error
    except FluxQueryException as error:
        raise InfluxdbError(str(error.message)) from error
    except (InfluxDBError, aiohttp.ClientError, OSError, OverflowError) as error:
        raise InfluxdbError(f"{type(error).__name__}: {error}") from error
    except (FluxCsvParserException, csv.Error, ValueError, LookupError) as error:
        raise InfluxdbError("the answer is no annotated CSV") from error
