"""Failures to accept connections.

asyncio logs thousands of them a second when descriptors run out.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from toolpact.timing.clock import Clock

_LOG = logging.getLogger(__name__)
_LOG_INTERVAL_S = 1.0


class AcceptErrorHandler:
    """Exception handler of an event loop that logs failures to accept connections once a second.

    The loop tries again after a second. All other exceptions get the loop's default treatment.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._logged_at: float | None = None

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle one exception."""
        if not context["message"].startswith("socket.accept()"):
            loop.default_exception_handler(context)
            return
        now = self._clock.monotonic()
        if self._logged_at is None or now - self._logged_at >= _LOG_INTERVAL_S:
            self._logged_at = now
            _LOG.error("cannot accept connections, and tries again: %s", context["exception"])
