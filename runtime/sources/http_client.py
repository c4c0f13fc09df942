"""A service that answers JSON, by httpx, connected when first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import orjson

from runtime.addresses import connecting
from runtime.clock import Clock, Late, within
from runtime.sources.http import HttpBadResponse, HttpSource, HttpTimeout, HttpUnavailable

if TYPE_CHECKING:
    import httpx

_CLOSING_S = 1.0
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class HttpClient:
    """A service behind one base URL."""

    def __init__(self, declared: HttpSource, url: str, clock: Clock) -> None:
        self._declared = declared
        self._url = url
        self._clock = clock
        self._client: httpx.AsyncClient | None = None

    @property
    def kind(self) -> str:
        """What answers."""
        return self._declared.kind

    async def start(self) -> None:
        """Load the client; it connects at the first request."""
        self._opened()

    async def close(self) -> None:
        """Close every connection."""
        client, self._client = self._client, None
        if client is not None:
            await asyncio.wait_for(client.aclose(), _CLOSING_S)

    async def get_json(self, path: str, params: Mapping[str, str | int | float | bool] | None = None) -> Any:
        """Return the JSON at *path* below the base URL.

        Raises HttpTimeout, HttpUnavailable or HttpBadResponse.
        """
        seconds = self._declared.timeout_s
        try:
            response = await within(self._clock, seconds, self._get(path, params))
        except Late as error:
            raise HttpTimeout(f"GET {path}: no answer within {seconds} s") from error
        if not response.is_success:
            raise HttpUnavailable(f"GET {path}: status {response.status_code}", status=response.status_code)
        try:
            return orjson.loads(response.content)
        except orjson.JSONDecodeError as error:
            raise HttpBadResponse(f"GET {path}: the answer is not JSON") from error

    async def _get(self, path: str, params: Mapping[str, str | int | float | bool] | None) -> httpx.Response:
        import httpx  # noqa: PLC0415 - 100 ms that a server need not pay before its first answer

        try:
            client = self._opened()
            request = client.build_request("GET", path, params=params)
            with connecting(HttpUnavailable):
                return await client.send(request)
        except httpx.TimeoutException as error:
            raise HttpTimeout(f"GET {path}: {type(error).__name__}") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise HttpUnavailable(f"GET {path}: {type(error).__name__}: {error}") from error

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            import httpx  # noqa: PLC0415 - see _get

            declared = self._declared
            with connecting(HttpUnavailable):
                self._client = httpx.AsyncClient(
                    base_url=self._url,
                    limits=httpx.Limits(max_connections=declared.max_connections),
                    timeout=httpx.Timeout(
                        declared.timeout_s, connect=declared.connection_timeout_s, pool=declared.connection_timeout_s
                    ),
                    # A proxy cannot reach this machine's loopback.
                    trust_env=urlsplit(self._url).hostname not in _LOOPBACK,
                )
        return self._client
