"""HTTP service as handlers use it: the protocol, its errors and the limits of its client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from toolaccord.errors import SourceError
from toolaccord.source_faults import INVALID_ANSWER, LOST, NO_ANSWER, explain_status
from toolaccord.sources import MAX_RESPONSE_BYTES, Source

QueryParams: TypeAlias = Mapping[str, str | int | float | bool]
"""Query parameters of a request, by name."""

_SERVER_ERROR = 500


class HttpTimeout(SourceError):
    """The service did not answer in time."""

    service = "http"
    summary = NO_ANSWER


class HttpUnavailable(SourceError):
    """The service could not be reached, or answered with a status other than success."""

    service = "http"
    fact = "status"
    summary = LOST

    def __init__(
        self, message: str, *, status: int | None = None, connection_failed: bool = False, reason: str | None = None
    ) -> None:
        super().__init__(message, reason=reason)
        if status is not None:
            self.remedy = explain_status(status)
        self.status = status
        """HTTP status; None if there was no answer."""
        self.connection_failed = connection_failed
        """True if the connection broke or could not be made."""

    @property
    def is_outage(self) -> bool:
        """Return False if the source answered, with an error."""
        return self.status is None or self.status >= _SERVER_ERROR


class HttpRateLimited(SourceError):
    """The service rejected a request as one too many, or no slot is free before the deadline."""

    service = "http"

    fact = "status"
    summary = (
        "the source's own requests_per_second admit no request before the deadline of the call; "
        "call less often, or raise them if the service admits more"
    )
    remedy = explain_status(429)

    def __init__(self, message: str, *, status: int | None = None, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        """429 if the service answered so; None if no request was sent."""
        self.retry_after_s = retry_after_s
        """Seconds after which the service accepts requests again; None if it did not report any."""

    @property
    def is_outage(self) -> bool:
        """Return False: the service answers other requests."""
        return False


class HttpBadResponse(SourceError):
    """The service answered, but not with JSON of at most `max_response_bytes`."""

    service = "http"
    summary = INVALID_ANSWER

    @property
    def is_outage(self) -> bool:
        """Return False: the service answers other requests."""
        return False


class Http(Source, Protocol):
    """A service behind one base URL, with a connection pool."""

    @property
    def is_queueing(self) -> bool:
        """Return whether a request would wait for a slot of `requests_per_second`.

        Equal requests share a slot, so one that serves many callers is then the better one.
        """

    async def get_json(self, path: str, params: QueryParams | None = None) -> Any:
        """Return the JSON at *path* below the base URL.

        Raises HttpTimeout, HttpUnavailable, HttpRateLimited or HttpBadResponse.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """Limits of a client of an HTTP service."""

    name: str
    """Name of the source, which tools, handlers and the log use."""
    max_connections: int = 10
    """Largest number of connections."""
    connection_timeout_s: float = 5
    """Seconds that a request may wait for a connection."""
    timeout_s: float = 20
    """Seconds after which an incomplete answer is abandoned."""
    requests_per_second: float | None = None
    """Largest number of requests a second, over all callers; None for no limit."""
    retries: int | None = None
    """Number of retries after a status of 5xx or 429 or a broken connection; None for none."""
    max_response_bytes: int = MAX_RESPONSE_BYTES
    """Largest size of a decoded response."""
