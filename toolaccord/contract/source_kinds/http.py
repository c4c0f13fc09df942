"""Web services that handlers use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    from toolaccord.contract.constraints import Constraint, Required, Resolved
    from toolaccord.contract.texts import Bytes, Count, Duration, HeaderName, KeyName, SettingName


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSource:
    """A web service below one base URL."""

    name: KeyName
    kind: Annotated[Literal["http"], Required()] = "http"
    url: SettingName
    bearer: SettingName | None = None
    """Secret setting with a bearer token. An empty value is not sent."""
    basic: SettingName | None = None
    """Secret setting with user:password for basic authentication. An empty value is not sent."""
    headers: Mapping[HeaderName, SettingName] = field(default_factory=dict)
    """Settings with headers of every request, by name. An empty value is not sent."""
    query: Mapping[str, SettingName] = field(default_factory=dict)
    """Settings with query parameters of every request, by name. An empty value is not sent."""
    max_connections: Count = 10
    """Maximum number of open connections."""
    connection_timeout_s: Duration = 5
    """Seconds that a call waits for a connection."""
    timeout_s: Duration = 20
    """Seconds within which a response must be complete."""
    requests_per_second: Annotated[float, Constraint(exclusiveMinimum=0, maximum=1000)] | None = None
    """Maximum number of requests started per second, for all callers together.

    No limit if absent.
    """
    store: str | None = None
    """Redis source in which replicas share requests_per_second.

    Without it each process has the whole number.
    """
    retries: Annotated[int, Constraint(minimum=0, maximum=10)] | None = None
    """Number of retries after a status of 5xx or 429 or a broken connection; 0 if absent.

    Requests that may change something are repeated only with an idempotency key, or if the method is idempotent.
    """
    max_response_bytes: Bytes = 2**24
    """Maximum size of a response in bytes, after decompression. 16777216 (16 MiB) if absent."""
    client: Annotated[str, Resolved()] = "toolaccord"
    """Product that the header User-Agent names."""
