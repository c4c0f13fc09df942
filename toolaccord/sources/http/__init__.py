"""HTTP source. Importing this package does not load httpx2."""

from __future__ import annotations

from toolaccord.sources.http.api import (
    Http,
    HttpBadRequest,
    HttpBadResponse,
    HttpRateLimited,
    HttpResponse,
    HttpTimeout,
    HttpUnavailable,
)
from toolaccord.sources.http.declaration import HttpSource

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
