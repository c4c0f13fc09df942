"""Retries of failed requests."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from toolaccord.sources.http.api import HttpRateLimited, HttpUnavailable
from toolaccord.timing.clock import Clock
from toolaccord.timing.retry_budget import RetryBudget
from toolaccord.timing.retrying import OutOfTime, Repetition, Retry

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
_RETRY = Retry()
_SERVER_ERRORS = range(500, 600)


async def retry(
    retries: int,
    budget: RetryBudget,
    clock: Clock,
    random: Callable[[], float],
    attempt: Callable[[], Awaitable[T]],
) -> T:
    """Return the result of *attempt*, with up to *retries* retries after transient failures.

    A status of 5xx or 429 and a broken connection are transient. If a pause does not fit before the caller's deadline,
    or the *budget* is used up, the failure is raised at once.
    """
    repetition = Repetition(
        retry=replace(_RETRY, max_attempts=retries + 1),
        budget=budget,
        clock=clock,
        random=random,
        find_retry_after_s=_find_retry_after_s,
        on_retry=lambda _, pause_s, failure: _LOG.debug("retrying a request in %.2f s: %s", pause_s, failure),
    )
    try:
        return await repetition.run(attempt)
    except OutOfTime as end:
        raise end.error from end.error.__cause__


def _find_retry_after_s(failure: Exception) -> float | None:
    """Return the seconds of a transient failure's `Retry-After`, or 0.

    None for any other failure.
    """
    if isinstance(failure, HttpRateLimited):
        return None if failure.status is None else failure.retry_after_s or 0
    is_transient = (
        isinstance(failure, HttpUnavailable)
        and not failure.is_rejected
        and (failure.connection_failed or failure.status in _SERVER_ERRORS)
    )
    return 0 if is_transient else None
