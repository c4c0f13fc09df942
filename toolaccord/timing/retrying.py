"""Repeated attempts: backoff with jitter, `Retry-After`, and the caller's deadline."""

from __future__ import annotations

import math
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import count
from typing import TypeVar

from toolaccord.timing.clock import Clock, sleep
from toolaccord.timing.deadline import time_left
from toolaccord.timing.retry_budget import RetryBudget

T = TypeVar("T")

_LONGEST_WAIT_S = 1e9
"""Seconds above which a wait is not told apart."""
_MAX_DIGITS = 9
"""Digits of a number of seconds that count; a longer number is some decades."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """Attempts of a call that fails for a retryable reason.

    The pause before retry *n*, from 1, is `initial_delay_s * multiplier ** (n - 1)` seconds, at most *max_delay_s*. A
    longer `retry_after_s` of the error replaces it, however long; a call without that time fails at once. A random part
    of up to *jitter* of the pause is added, so that clients which failed together do not come back together (Brooker,
    "Exponential Backoff And Jitter", 2015).

    A call that writes is attempted once, unless it carries an idempotency key. Raises ValueError for invalid values.
    """

    max_attempts: int = 3
    """Largest number of attempts, the first included."""
    initial_delay_s: float = 0.5
    """Pause before the first retry, in seconds."""
    max_delay_s: float = 5.0
    """Longest pause, in seconds."""
    multiplier: float = 2.0
    """Factor from one pause to the next."""
    jitter: float = 0.1
    """Largest random part, as a share of the pause."""

    def __post_init__(self) -> None:
        for is_valid, rule in (
            (self.max_attempts >= 1, "max_attempts must be 1 or more"),
            (
                0 <= self.initial_delay_s <= self.max_delay_s < math.inf,
                "initial_delay_s must be from 0 to max_delay_s, and max_delay_s finite",
            ),
            (1 <= self.multiplier < math.inf, "multiplier must be 1 or more, and finite"),
            (0 <= self.jitter <= 1, "jitter must be from 0 to 1"),
        ):
            if not is_valid:
                raise ValueError(f"Retry.{rule}")

    def pause_s(self, number: int, retry_after_s: float, random: float) -> float:
        """Return the seconds before retry *number*, from 1: no less than the server wants.

        *random* is from 0 to 1.
        """
        try:
            delay_s = self.initial_delay_s * self.multiplier ** (number - 1)
        except OverflowError:
            delay_s = self.max_delay_s
        part = 1 + self.jitter * random
        return max(min(delay_s * part, self.max_delay_s), max(0.0, min(retry_after_s, _LONGEST_WAIT_S)) * part)


class OutOfTime(Exception):
    """A call failed with *error*, and has no time for the next pause, of *pause_s* seconds."""

    def __init__(self, error: Exception, pause_s: float) -> None:
        super().__init__(error, pause_s)
        self.error = error
        self.pause_s = pause_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """Repeats the attempts of a call; clock and randomness are arguments."""

    retry: Retry
    budget: RetryBudget
    """Budget of all callers."""
    clock: Clock
    random: Callable[[], float]
    """Returns random numbers from 0 to 1, for the jitter."""
    find_retry_after_s: Callable[[Exception], float | None]
    """Returns the seconds that the server wants its caller to wait, or 0.

    None for an error that is final.
    """
    on_retry: Callable[[int, float, Exception], None]
    """Learns of each retry: its number, its pause in seconds and the error."""

    async def run(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Return the result of *attempt*.

        Raises the error of the last attempt, after which no attempt or no budget is left. If the next pause would end
        after the call's deadline, raises OutOfTime at once.
        """
        self.budget.count_request()
        for number in count(1):
            try:
                return await attempt()
            except Exception as error:
                pause_s = self._find_pause_s(number, error)
                if number >= self.retry.max_attempts or not self.budget.take():
                    raise
                self.on_retry(number, pause_s, error)
            await sleep(self.clock, pause_s)
        raise AssertionError("count ends")

    def _find_pause_s(self, number: int, error: Exception) -> float:
        """Return the pause after attempt *number*.

        Raises *error* if it is final, and OutOfTime if no time is left for the pause.
        """
        retry_after_s = self.find_retry_after_s(error)
        if retry_after_s is None:
            raise error
        pause_s = self.retry.pause_s(number, retry_after_s, self.random())
        left_s = time_left(self.clock)
        if left_s is not None and left_s <= pause_s:
            raise OutOfTime(error, pause_s) from error
        return pause_s


def parse_retry_after(header: str | None, now: datetime) -> float | None:
    """Return the seconds until the time of a `Retry-After` header.

    It holds a number of seconds or a date (RFC 9110, 10.2.3). Returns None without a header and for an invalid one.
    """
    text = (header or "").strip()
    if re.fullmatch("[0-9]+", text):
        return float(text[:_MAX_DIGITS])
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())
