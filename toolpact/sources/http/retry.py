"""When a request is made again: after what, how often, and how long after."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from toolpact.sources.http import HttpRateLimited, HttpUnavailable
from toolpact.timing.clock import Clock, sleep
from toolpact.timing.deadline import time_left

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
_FIRST_S = 0.5
"""Seconds before the first retry at most; they double with each one more."""
_SERVER_ERROR = range(500, 600)


async def retried(retries: int, clock: Clock, chance: Callable[[], float], attempt: Callable[[], Awaitable[T]]) -> T:
    """Return what *attempt* returns, made up to *retries* times more where a service may be better a moment later.

    That is after a status of 5xx or 429, and after a broken connection. Each time it waits twice as long, half of it by
    *chance* (from 0 to 1), and no less than the service asks for. Without the time for that, the failure is raised at once.
    """
    for number in range(retries):
        try:
            return await attempt()
        except (HttpRateLimited, HttpUnavailable) as failure:
            wait_s = _FIRST_S * 2**number * (0.5 + chance() / 2)
            if isinstance(failure, HttpRateLimited):
                wait_s = max(wait_s, failure.retry_after_s or 0)
            left = time_left(clock)
            if not _may_pass(failure) or (left is not None and wait_s >= left):
                raise
            _LOG.info("a request is made again in %.2f s: %s", wait_s, failure)
        await sleep(clock, wait_s)
    return await attempt()


def retry_after_s(header: str | None, now: datetime) -> float | None:
    """Return the seconds that a `Retry-After` asks for: a number, or a date to wait for. None where it asks for nothing."""
    if header is None:
        return None
    if re.fullmatch("[0-9]{1,9}", header.strip()):
        return float(header)
    try:
        until = parsedate_to_datetime(header)
    except (ValueError, OverflowError):
        return None
    aware = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())


def _may_pass(failure: HttpRateLimited | HttpUnavailable) -> bool:
    """Whether the same request may succeed a moment later."""
    if isinstance(failure, HttpRateLimited):
        return failure.status is not None
    return failure.broken or failure.status in _SERVER_ERROR
