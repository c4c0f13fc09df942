"""Retries of failed requests, with exponential backoff and jitter."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from toolaccord.sources.http.api import HttpRateLimited, HttpUnavailable
from toolaccord.timing.clock import Clock, sleep
from toolaccord.timing.deadline import time_left

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
_FIRST_DELAY_S = 0.5
"""Longest delay before the first retry; it doubles with each further one."""
_SERVER_ERRORS = range(500, 600)


async def retry(retries: int, clock: Clock, jitter: Callable[[], float], attempt: Callable[[], Awaitable[T]]) -> T:
    """Return the result of *attempt*, with up to *retries* retries after transient failures.

    A status of 5xx or 429 and a broken connection are transient. The delay doubles each time, varies by *jitter*
    (0 to 1, half of the delay), and is at least the service's `Retry-After`. If the delay does not fit before the
    caller's deadline, the failure is raised at once.
    """
    for number in range(retries):
        try:
            return await attempt()
        except (HttpRateLimited, HttpUnavailable) as failure:
            delay_s = _FIRST_DELAY_S * 2**number * (0.5 + jitter() / 2)
            if isinstance(failure, HttpRateLimited):
                delay_s = max(delay_s, failure.retry_after_s or 0)
            left = time_left(clock)
            if not _is_transient(failure) or (left is not None and delay_s >= left):
                raise
            _LOG.debug("retrying a request in %.2f s: %s", delay_s, failure)
        await sleep(clock, delay_s)
    return await attempt()


def parse_retry_after(header: str | None, now: datetime) -> float | None:
    """Return the seconds until the time of a `Retry-After` header.

    It holds a number of seconds or a date (RFC 9110, 10.2.3). Returns None without a header and for an invalid one.
    """
    if header is None:
        return None
    if re.fullmatch("[0-9]{1,9}", header.strip()):
        return float(header)
    try:
        date = parsedate_to_datetime(header)
    except (ValueError, OverflowError):
        return None
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())


def _is_transient(failure: HttpRateLimited | HttpUnavailable) -> bool:
    """Return whether the same request may succeed a moment later."""
    if isinstance(failure, HttpRateLimited):
        return failure.status is not None
    return failure.connection_failed or failure.status in _SERVER_ERRORS
