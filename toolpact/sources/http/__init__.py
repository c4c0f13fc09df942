"""HTTP: a service that answers JSON, what handlers see of it, and how a contract declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from toolpact.errors import SourceError
from toolpact.sources import Source
from toolpact.timing.clock import Clock


class HttpTimeout(SourceError):
    """The service did not answer in time."""


class HttpUnavailable(SourceError):
    """The service could not be reached, or answered with a status that is not success."""

    def __init__(self, message: str, *, status: int | None = None, broken: bool = False) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status; None when there was no answer."""
        self.broken = broken
        """Whether the connection broke, or could not be made."""


class HttpRateLimited(SourceError):
    """The service wants fewer requests, or the contract's limit leaves no slot before the deadline."""

    def __init__(self, message: str, *, status: int | None = None, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        """429 when the service said so; None when it was not asked."""
        self.retry_after_s = retry_after_s
        """Seconds after which it may be asked again; None when it does not say."""


class HttpBadResponse(SourceError):
    """The service answered something that is not JSON."""


class Http(Source, Protocol):
    """A service behind one base URL, with a pool of connections."""

    async def get_json(self, path: str, params: Mapping[str, str | int | float | bool] | None = None) -> Any:
        """Return the JSON at *path* below the base URL.

        Raises HttpTimeout, HttpUnavailable, HttpRateLimited or HttpBadResponse.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSource:
    """A service that answers JSON, as the contract declares it."""

    name: str
    """How tools and handlers call it."""
    url: str
    """The name of the setting that holds the base URL."""
    max_connections: int
    """How many connections there may be."""
    connection_timeout_s: float
    """Seconds within which a connection must be had."""
    timeout_s: float
    """Seconds within which an answer must be complete."""
    client: str = "toolpact"
    """Who asks, as the header User-Agent says it."""
    requests_per_second: float | None = None
    """How many requests may begin in a second, of all callers together; None where there is no limit."""
    retries: int | None = None
    """How often a request is made again after a status of 5xx or 429 or a broken connection; None for never."""

    @property
    def kind(self) -> str:
        """What answers."""
        return "http"

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Http:
        """Return the service, not yet connected."""
        from toolpact.sources.http.client import HttpClient  # noqa: PLC0415 - only for a server that opens one

        return HttpClient(self, str(settings[self.url]), clock)
