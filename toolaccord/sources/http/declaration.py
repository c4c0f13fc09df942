"""HTTP source as a contract declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from toolaccord.sources.http.api import Http, HttpLimits
from toolaccord.timing.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSource(HttpLimits):
    """A web service, as the contract declares it."""

    kind: ClassVar = "http"
    """Kind of the system that answers."""
    url: str
    """Name of the setting that holds the base URL."""
    bearer: str | None = None
    """Name of the setting that holds a bearer token; None without one."""
    basic: str | None = None
    """Name of the setting that holds `user:password`; None without one."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names of the settings that hold values of headers, by header."""
    query: Mapping[str, str] = field(default_factory=dict)
    """Names of the settings that hold values of query parameters, by parameter."""
    client: str = "toolaccord"
    """Product that the header User-Agent names."""

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Http:
        """Return the service, not yet connected."""
        from toolaccord.sources.http.client import HttpClient  # noqa: PLC0415 - only servers that open one need it
        from toolaccord.sources.http.prepared_request import Credentials  # noqa: PLC0415 - likewise

        credentials = Credentials(
            bearer=str(settings[self.bearer]) if self.bearer else "",
            basic=str(settings[self.basic]) if self.basic else "",
            headers={name: str(settings[setting]) for name, setting in self.headers.items()},
            query={name: str(settings[setting]) for name, setting in self.query.items()},
            settings={"Authorization": self.bearer or self.basic or "", **self.headers},
        )
        return HttpClient(self, str(settings[self.url]), clock, product=self.client, credentials=credentials)
