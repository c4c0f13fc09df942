"""Flux queries to InfluxDB 2.x, over the official client."""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from toolpact.sources import PoolState
from toolpact.sources.addresses import translate_address_errors
from toolpact.sources.influxdb.api import BucketAddress, InfluxdbError, InfluxdbLimits, Language, Row
from toolpact.sources.request_count import RequestCount

if TYPE_CHECKING:
    import aiohttp
    from influxdb_client.client.influxdb_client_async import InfluxDBClientAsync

_CLOSE_TIMEOUT_S = 1.0


class FluxClient:
    """A bucket queried in Flux.

    Connects at the first query, and again after the server was unavailable.
    """

    def __init__(self, limits: InfluxdbLimits, address: BucketAddress) -> None:
        self._limits = limits
        self._address = address
        self._client: InfluxDBClientAsync | None = None
        self._requests = RequestCount(limits.max_connections)

    @property
    def kind(self) -> str:
        """Kind of the system that answers."""
        return "influxdb"

    @property
    def language(self) -> Language:
        """Language of `query`."""
        return "flux"

    @property
    def bucket(self) -> str:
        """Name of the bucket."""
        return self._address.bucket

    async def start(self) -> None:
        """Load the client; the first query connects."""
        self._open_client()

    async def check(self) -> None:
        """Ping the server. Raises InfluxdbError."""
        with translate_address_errors(InfluxdbError):
            client = self._open_client()
        with self._requests.track(), _translate_errors(self._limits):
            await client.ping()  # returns no failure, but raises it

    async def close(self) -> None:
        """Close every connection."""
        client, self._client = self._client, None
        if client is not None:
            await asyncio.wait_for(client.close(), _CLOSE_TIMEOUT_S)  # type: ignore[no-untyped-call]

    def pool_state(self) -> PoolState:
        """Return the number of connections in use."""
        return self._requests.pool_state()

    async def query(self, text: str) -> list[Row]:
        """Return the rows of all yields of *text*. Raises InfluxdbError."""
        with translate_address_errors(InfluxdbError):
            client = self._open_client()
        with self._requests.track(), _translate_errors(self._limits):
            tables = await client.query_api().query(text)
        return [record.values for table in tables for record in table.records]

    def _open_client(self) -> InfluxDBClientAsync:
        if self._client is None:
            # takes 280 ms to load, too long before the first answer
            import aiohttp  # noqa: PLC0415
            from influxdb_client.client.influxdb_client_async import InfluxDBClientAsync  # noqa: PLC0415

            limits, address = self._limits, self._address
            # The caller's deadline limits the query; only connecting has a timeout here.
            timeout = aiohttp.ClientTimeout(
                total=None, connect=limits.connection_timeout_s, sock_connect=limits.connection_timeout_s
            )
            self._client = InfluxDBClientAsync(
                address.url,
                token=address.token,
                org=address.org,
                timeout=timeout,
                client_session_type=self._create_session,
                client_session_kwargs={"trust_env": not address.is_loopback},
            )
        return self._client

    def _create_session(self, **options: Any) -> aiohttp.ClientSession:
        """Return a session with the declared pool. The client has no option for the idle timeout."""
        import aiohttp  # noqa: PLC0415 - see _open_client

        options["connector"] = aiohttp.TCPConnector(
            limit=self._limits.max_connections, keepalive_timeout=self._limits.idle_timeout_s
        )
        return aiohttp.ClientSession(**options)


@contextmanager
def _translate_errors(limits: InfluxdbLimits) -> Iterator[None]:
    """Raise the exceptions of the client libraries as InfluxdbError."""
    import aiohttp  # noqa: PLC0415 - see _open_client
    from influxdb_client.client.exceptions import InfluxDBError  # noqa: PLC0415
    from influxdb_client.client.flux_csv_parser import (  # noqa: PLC0415
        FluxCsvParserException,
        FluxQueryException,
    )
    from influxdb_client.rest import ApiException  # noqa: PLC0415

    try:
        yield
    except TimeoutError as error:  # an OSError too
        raise InfluxdbError(f"no connection within {limits.connection_timeout_s} s") from error
    except ApiException as error:
        raise InfluxdbError(f"status {error.status}: {error.message}", status=error.status) from error
    except FluxQueryException as error:
        raise InfluxdbError(str(error.message)) from error
    except (InfluxDBError, aiohttp.ClientError, OSError, OverflowError) as error:
        raise InfluxdbError(f"{type(error).__name__}: {error}") from error
    except (FluxCsvParserException, csv.Error, ValueError, LookupError) as error:
        raise InfluxdbError("the answer is not annotated CSV") from error
