"""Repeated attempts, by tenacity; clock and randomness are arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NoReturn

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_exponential
from tenacity.wait import wait_base

from toolaccord.client.policies.records import Retry
from toolaccord.errors import CallFailed, ToolError
from toolaccord.timing.clock import Clock, sleep
from toolaccord.timing.deadline import time_left

_LONGEST_WAIT_S = 1e9
"""Seconds above which a wait is not told apart."""


class OutOfTime(Exception):
    """A call failed with *error*, and has no time for the next pause, of *pause_s* seconds."""

    def __init__(self, error: CallFailed | ToolError, pause_s: float) -> None:
        super().__init__(error, pause_s)
        self.error = error
        self.pause_s = pause_s


class Backoff(wait_base):
    """Pauses between attempts, as `Retry` describes them: exponential backoff with jitter.

    After Brooker, "Exponential Backoff And Jitter", 2015; the jitter here is only added, as it is a share of the pause.
    """

    def __init__(self, retry: Retry, random: Callable[[], float]) -> None:
        self._retry = retry
        self._random = random
        self._exponential = wait_exponential(
            multiplier=retry.initial_delay_s, max=retry.max_delay_s, exp_base=retry.multiplier
        )

    def __call__(self, retry_state: RetryCallState) -> float:
        """Return the seconds before the next attempt: no less than the server wants."""
        part = 1 + self._retry.jitter * self._random()
        pause_s = min(self._exponential(retry_state) * part, self._retry.max_delay_s)
        return max(pause_s, _retry_after_s(_error_of(retry_state)) * part)


def build_retrying(
    retry: Retry,
    clock: Clock,
    random: Callable[[], float],
    on_retry: Callable[[int, float, Exception], None],
) -> AsyncRetrying:
    """Return the repetition of one call.

    Before each retry, *on_retry* learns its number, its pause in seconds and the error. The repetition raises the error
    of the last attempt. If the next pause would end after the call's deadline, it raises OutOfTime at once.
    """

    def is_out_of_time(state: RetryCallState) -> bool:
        left_s = time_left(clock)
        return left_s is not None and left_s <= state.upcoming_sleep

    def give_up(state: RetryCallState) -> NoReturn:
        error = _error_of(state)
        if is_out_of_time(state):
            raise OutOfTime(error, state.upcoming_sleep)
        raise error

    return AsyncRetrying(
        sleep=partial(sleep, clock),
        wait=Backoff(retry, random),
        stop=lambda state: state.attempt_number >= retry.max_attempts or is_out_of_time(state),
        retry=retry_if_exception(is_retryable),
        before_sleep=lambda state: on_retry(state.attempt_number, state.upcoming_sleep, _error_of(state)),
        retry_error_callback=give_up,
    )


def is_retryable(error: BaseException) -> bool:
    """Return whether the same call may succeed later: by the code of *error*, never by its text."""
    return isinstance(error, CallFailed | ToolError) and error.retryable


def _error_of(state: RetryCallState) -> CallFailed | ToolError:
    """Return the error of the last attempt, which is retryable."""
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, CallFailed | ToolError)
    return error


def _retry_after_s(error: CallFailed | ToolError) -> float:
    """Return the seconds that a busy server wants its caller to wait; 0 if *error* names none."""
    seconds = getattr(error, "details", {}).get("retry_after_s")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return 0
    return max(0.0, float(min(seconds, _LONGEST_WAIT_S)))  # also for NaN
