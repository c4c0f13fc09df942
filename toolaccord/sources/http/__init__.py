"""HTTP source. Importing this package does not load httpx2."""

from __future__ import annotations

from toolaccord.sources.http.api import (
    Http,
    HttpBadResponse,
    HttpLimits,
    HttpRateLimited,
    HttpTimeout,
    HttpUnavailable,
)
from toolaccord.sources.http.declaration import HttpSource

__all__ = ["Http", "HttpBadResponse", "HttpLimits", "HttpRateLimited", "HttpSource", "HttpTimeout", "HttpUnavailable"]
