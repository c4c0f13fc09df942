"""Log of requests: one line for each message that is answered or ignored."""

from __future__ import annotations

import logging
from typing import NamedTuple

from toolaccord.json_values import JsonObject
from toolaccord.telemetry import json_logs

_LOG = logging.getLogger(__name__)
_MAX_CHARACTERS = 128
"""Characters of an id and of a method in the log; callers may send any text."""


class Received(NamedTuple):
    """A message as it was received."""

    request_id: str | int | None
    """Id of the request; None without one."""
    method: str | None
    """Its method; None if it could not be read."""
    at: float
    """Time of arrival, in seconds of the clock's monotonic time."""


def log_request(received: Received, duration_s: float, corr_id: str, error: JsonObject | None) -> None:
    """Log a message; *error* is the `code` and `message` of its error, None in a success."""
    request_id, method = received.request_id, received.method
    fields: JsonObject = {
        "request_id": None if request_id is None else str(request_id)[:_MAX_CHARACTERS],
        "method": None if method is None else method[:_MAX_CHARACTERS],
        "duration_ms": round(duration_s * 1_000_000) / 1000,
        "status": "error" if error else "ok",
        "corr_id": corr_id,
    }
    if error:
        fields["error"] = error
    json_logs.log_event(_LOG, "request", fields)
