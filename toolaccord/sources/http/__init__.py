"""HTTP source. Importing this package does not load httpx2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord.contract.source_kinds import http
from toolaccord.sources.http.api import (
    Http,
    HttpBadRequest,
    HttpBadResponse,
    HttpRateLimited,
    HttpResponse,
    HttpTimeout,
    HttpUnavailable,
)
from toolaccord.timing.clock import Clock

__all__ = [
    "Http",
    "HttpBadRequest",
    "HttpBadResponse",
    "HttpRateLimited",
    "HttpResponse",
    "HttpSource",
    "HttpTimeout",
    "HttpUnavailable",
]


class HttpSource(http.HttpSource):
    """A web service, as the contract declares it."""

    __slots__ = ()

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
