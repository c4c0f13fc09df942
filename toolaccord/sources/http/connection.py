"""Connections to a service over httpx2."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from toolaccord.contract.source_kinds.http import HttpSource
from toolaccord.source_faults import TOO_LARGE
from toolaccord.sources import PoolState
from toolaccord.sources.addresses import translate_address_errors
from toolaccord.sources.client_tls import FreshContext, split_tls
from toolaccord.sources.http.api import HttpBadResponse, HttpTimeout, HttpUnavailable
from toolaccord.sources.http.prepared_request import Credentials, PreparedRequest
from toolaccord.sources.http_response import ResponseTooLarge, explain, fetch
from toolaccord.sources.request_count import RequestCount
from toolaccord.urls import is_loopback

if TYPE_CHECKING:
    import httpx2

_CLOSE_TIMEOUT_S = 1.0


class HttpConnections:
    """A pool of connections to one base URL, opened at the first request."""

    def __init__(self, limits: HttpSource, url: str, credentials: Credentials, product: str) -> None:
        self._limits = limits
        self._url = url
        self._credentials = credentials
        self._product = product
        self._requests = RequestCount(limits.max_connections)
        self._client: httpx2.AsyncClient | None = None
        self._tls: FreshContext | None = None

    def pool_state(self) -> PoolState:
        """Return the number of connections in use."""
        return self._requests.pool_state()

    def open(self) -> httpx2.AsyncClient:
        """Return the client, created at the first call. Raises HttpUnavailable for an invalid URL."""
        if self._client is None:
            import httpx2  # noqa: PLC0415 - takes 50 ms to load, too long before the first answer

            limits = self._limits
            with translate_address_errors(HttpUnavailable):
                address, files = split_tls(self._url)
                self._tls = FreshContext(files) if files else None
                self._client = httpx2.AsyncClient(
                    base_url=address,
                    verify=self._tls.context if self._tls else httpx2.create_ssl_context(),
                    headers={
                        "User-Agent": f"{self._product} (toolaccord; httpx2/{httpx2.__version__})",
                        **dict(self._credentials.list_headers()),
                    },
                    limits=httpx2.Limits(max_connections=limits.max_connections),
                    timeout=httpx2.Timeout(
                        limits.timeout_s, connect=limits.connection_timeout_s, pool=limits.connection_timeout_s
                    ),
                    trust_env=not is_loopback(urlsplit(self._url).hostname),  # which no proxy can reach
                )
        elif self._tls:
            self._tls.refresh()
        return self._client

    async def close(self) -> None:
        """Close every connection."""
        client, self._client = self._client, None
        if client is not None:
            await asyncio.wait_for(client.aclose(), _CLOSE_TIMEOUT_S)

    async def send(self, request: PreparedRequest) -> tuple[httpx2.Response, bytes]:
        """Return the response to *request* and its body.

        Raises HttpTimeout, HttpUnavailable or HttpBadResponse.
        """
        limits = self._limits
        keys = urlencode([(name, value) for name, value in self._credentials.query.items() if value])
        path = f"{request.path}{'&' if '?' in request.path else '?'}{keys}" if keys else request.path
        with _translating_errors(request), self._requests.track(), translate_address_errors(HttpUnavailable):
            return await fetch(
                self.open(),
                request.method,
                f"/{path.lstrip('/')}",  # which httpx2 appends to the base URL, also if it has a colon
                source=limits.name,
                limit=limits.max_response_bytes,
                headers=request.headers,
                content=request.content,
            )


@contextmanager
def _translating_errors(request: PreparedRequest) -> Iterator[None]:
    """Raise errors of httpx2 as those of the source."""
    import httpx2  # noqa: PLC0415 - see open

    try:
        yield
    except ResponseTooLarge as error:
        raise HttpBadResponse(f"{request}: {error}", reason=TOO_LARGE) from error
    except httpx2.TimeoutException as error:
        raise HttpTimeout(f"{request}: {type(error).__name__}") from error
    except httpx2.DecodingError as error:
        raise HttpBadResponse(f"{request}: the answer cannot be decoded") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        failed = isinstance(error, httpx2.NetworkError | httpx2.RemoteProtocolError)
        message = f"{request}: {type(error).__name__}: {error}"
        raise HttpUnavailable(message, connection_failed=failed, reason=explain(error)) from error
