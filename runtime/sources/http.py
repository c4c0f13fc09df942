"""HTTP: a service that answers JSON, what handlers see of it, and how a contract declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from runtime.clock import Clock
from runtime.errors import SourceError
from runtime.sources import Source


class HttpTimeout(SourceError):
    """The service did not answer in time."""


class HttpUnavailable(SourceError):
    """The service could not be reached, or answered with a status that is not success."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status; None when there was no answer."""


class HttpBadResponse(SourceError):
    """The service answered something that is not JSON."""


class Http(Source, Protocol):
    """A service behind one base URL, with a pool of connections."""

    async def get_json(self, path: str, params: Mapping[str, str | int | float | bool] | None = None) -> Any:
        """Return the JSON at *path* below the base URL.

        Raises HttpTimeout, HttpUnavailable or HttpBadResponse.
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

    @property
    def kind(self) -> str:
        """What answers."""
        return "http"

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Http:
        """Return the service, not yet connected."""
        from runtime.sources.http_client import HttpClient  # noqa: PLC0415 - only for a server that opens one

        return HttpClient(self, str(settings[self.url]), clock)
