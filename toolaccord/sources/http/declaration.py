"""HTTP source as a contract declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolaccord.sources.http.api import Http, HttpLimits
from toolaccord.timing.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSource(HttpLimits):
    """A service that answers JSON, as the contract declares it."""

    url: str
    """Name of the setting that holds the base URL."""
    client: str = "toolaccord"
    """Product that the header User-Agent names."""

    @property
    def kind(self) -> str:
        """Kind of the system that answers."""
        return "http"

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Http:
        """Return the service, not yet connected."""
        from toolaccord.sources.http.client import HttpClient  # noqa: PLC0415 - only servers that open one need it

        return HttpClient(self, str(settings[self.url]), clock, product=self.client)
