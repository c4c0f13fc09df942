"""HTTP service as handlers use it: the protocol and its errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, Unpack

import orjson

from toolaccord.errors import SourceError, ToolError
from toolaccord.handler import IdempotencyKey
from toolaccord.source_faults import INVALID_ANSWER, INVALID_REQUEST, LOST, NO_ANSWER, explain_status
from toolaccord.sources import Source
from toolaccord.sources.availability import Availability

Method: TypeAlias = Literal["GET", "HEAD", "OPTIONS", "QUERY", "POST", "PUT", "PATCH", "DELETE"]
"""Method of a request."""
QueryParams: TypeAlias = Mapping[str, Any]
"""Query parameters by name: scalars, lists that repeat the name, objects as `name[member]`.

None is left out.
"""

_SERVER_ERROR = 500
_LATER = (408, 425)
"""Statuses below 500, beside 429, after which the same request may succeed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """A response of a service."""

    status: int
    content: bytes = b""
    """Its decoded body."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Its headers, by lower-case name."""
    availability: Availability | None = field(default=None, repr=False, compare=False)
    """State of the source that answered; None in a test."""

    def json(self) -> Any:
        """Return the JSON in the body. Raises HttpBadResponse."""
        try:
            return orjson.loads(self.content)
        except orjson.JSONDecodeError as error:
            failure = HttpBadResponse(f"the response with the status {self.status} is not JSON")
            raise self.availability.attempt().failed(failure) if self.availability else failure from error

    @property
    def text(self) -> str:
        """Return the body as text in UTF-8; invalid bytes become U+FFFD."""
        return self.content.decode(errors="replace")


class RequestOptions(TypedDict, total=False):
    """Parts of a request beside its method and path."""

    values: Mapping[str, Any]
    """Values of the variables of the path, a URI template (RFC 6570): `books/{id}{?tag*}`."""
    params: QueryParams | None
    """Further query parameters."""
    headers: Mapping[str, Any]
    """Headers by name; None is left out."""
    json: Any
    """Body as JSON; None for no body."""
    form: Mapping[str, Any]
    """Body as an URL-encoded form, whose members are written as query parameters are."""
    text: str | None
    """Body as text in UTF-8."""
    errors: Mapping[int, ToolError]
    """Errors of the tool to raise for unsuccessful statuses."""
    idempotency_key: IdempotencyKey | str | None
    """Key that the header `Idempotency-Key` passes on; the request may then be repeated."""
    is_safe: bool
    """True for a POST that only reads, such as a search: it counts as a safe method."""


class HttpTimeout(SourceError):
    """The service did not answer in time."""

    service = "http"
    summary = NO_ANSWER
    is_timeout = True


class HttpUnavailable(SourceError):
    """The service could not be reached, or answered with a status other than success."""

    service = "http"
    fact = "status"
    summary = LOST

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        connection_failed: bool = False,
        reason: str | None = None,
        response: HttpResponse | None = None,
    ) -> None:
        super().__init__(message, reason=reason)
        if status is not None:
            self.remedy = explain_status(status)
        self.status = status
        """HTTP status; None if there was no answer."""
        self.response = response
        """Response with that status, and at most 64 KiB of its body; None if there was none."""
        self.connection_failed = connection_failed
        """True if the connection broke or could not be made."""

    @property
    def is_outage(self) -> bool:
        """Return False if the source answered, with an error."""
        return self.status is None or self.status >= _SERVER_ERROR

    @property
    def is_retryable(self) -> bool:
        """Return False if the service rejects this request whenever it comes."""
        return self.is_outage or self.status in _LATER


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


class HttpBadRequest(SourceError):
    """A request cannot be sent: a part of it has no form on the wire, or leaves the base URL."""

    service = "http"
    summary = INVALID_REQUEST

    @property
    def is_outage(self) -> bool:
        """Return False: nothing was sent."""
        return False

    @property
    def is_retryable(self) -> bool:
        """Return False: the same call makes the same request."""
        return False


class Http(Source, Protocol):
    """A service behind one base URL, with a connection pool."""

    @property
    def is_queueing(self) -> bool:
        """Return whether a request would wait for a slot of `requests_per_second`.

        Equal requests share a slot, so one that serves many callers is then the better one.
        """

    async def request(self, method: Method, path: str, **options: Unpack[RequestOptions]) -> HttpResponse:
        """Return the successful response to a request of *path* below the base URL.

        Operations that do not write to the source may send safe methods alone. Raises the error in `errors` for its
        status, HttpTimeout, HttpUnavailable, HttpRateLimited, HttpBadResponse, HttpBadRequest, or UndeclaredEffect.
        """

    async def get_json(self, path: str, params: QueryParams | None = None) -> Any:
        """Return the JSON at *path* below the base URL.

        Raises HttpTimeout, HttpUnavailable, HttpRateLimited or HttpBadResponse.
        """
