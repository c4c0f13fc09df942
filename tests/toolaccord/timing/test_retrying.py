"""Pauses between attempts, and `Retry-After`."""

import math
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolaccord.testing import ManualClock
from toolaccord.timing.retry_budget import RetryBudget
from toolaccord.timing.retrying import Retry, parse_retry_after

retries = st.builds(
    lambda initial, factor, **others: Retry(initial_delay_s=initial, max_delay_s=initial * factor, **others),
    initial=st.floats(0, 1e3),
    factor=st.floats(1, 1e3),
    multiplier=st.sampled_from([1, 1.5, 2, 1e3]) | st.floats(1, 1e3),
    jitter=st.floats(0, 1),
)
attempts = st.integers(1, 5) | st.integers(1, 10_000)  # the pauses of most high numbers are the longest


@given(retries, attempts, st.floats(0, 1))
def test_every_pause_is_the_exponential_one_and_its_jitter_up_to_the_longest(
    retry: Retry, attempt: int, random: float
) -> None:
    try:
        exponential = retry.initial_delay_s * retry.multiplier ** (attempt - 1)
    except OverflowError:
        exponential = math.inf if retry.initial_delay_s else retry.max_delay_s
    shortest = min(exponential, retry.max_delay_s)
    expected = min(shortest * (1 + retry.jitter * random), retry.max_delay_s)
    assert retry.pause_s(attempt, 0, random) == pytest.approx(expected)
    assert retry.pause_s(attempt, 0, random) <= retry.max_delay_s


@given(retries, attempts, st.floats(0, 1))
def test_pauses_never_shrink(retry: Retry, attempt: int, random: float) -> None:
    assert retry.pause_s(attempt, 0, random) <= retry.pause_s(attempt + 1, 0, random)


@given(retries, attempts, st.floats(0, 1), st.one_of(st.floats(0), st.integers(0, 10**400)))
def test_a_pause_is_never_shorter_than_a_busy_server_wants(
    retry: Retry, attempt: int, random: float, retry_after_s: float
) -> None:
    pause = retry.pause_s(attempt, retry_after_s, random)
    assert min(retry_after_s, 1e9) <= pause <= max(min(retry_after_s, 1e9) * (1 + retry.jitter), retry.max_delay_s)


@pytest.mark.parametrize(
    "invalid",
    [
        {"max_attempts": 0},
        {"initial_delay_s": -1},
        {"initial_delay_s": 6},
        {"max_delay_s": math.inf},
        {"multiplier": 0.5},
        {"multiplier": math.nan},
        {"jitter": 1.1},
        {"jitter": -0.1},
    ],
)
def test_an_invalid_policy_is_rejected_with_the_name_of_its_field(invalid: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"Retry.{next(iter(invalid))} must be|initial_delay_s must be"):
        Retry(**invalid)


@pytest.mark.parametrize(
    "header,seconds",
    [
        (None, None),
        ("120", 120),
        (" 0 ", 0),
        ("Fri, 20 Nov 2026 12:00:30 GMT", 30),
        ("Fri, 20 Nov 2026 11:00:00 GMT", 0),
        ("Fri, 20 Nov 2026 12:00:30 -0000", 30),
        ("soon", None),
        (f"Fri, 20 Nov 2026 12:00:30 +{'9' * 40}", None),
        ("-5", None),
        ("1e3", None),
        ("", None),
        ("9" * 5000, 999_999_999),
    ],
)
def test_retry_after_is_a_number_of_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert parse_retry_after(header, datetime(2026, 11, 20, 12, tzinfo=UTC)) == seconds


@given(st.lists(st.tuples(st.floats(0, 3), st.integers(0, 200), st.integers(0, 400)), max_size=50))
def test_retries_are_at_most_a_fifth_of_the_requests_and_ten_a_second(steps: list[tuple[float, int, int]]) -> None:
    clock = ManualClock()
    budget, requests, taken, refused = RetryBudget(clock), 0, 0, 0
    for seconds, sent, failed in steps:
        clock.advance(seconds)
        for _ in range(sent):
            budget.count_request()
        outcomes = [budget.take() for _ in range(failed)]
        requests, taken, refused = requests + sent, taken + sum(outcomes), refused + outcomes.count(False)
    windows = 1 + clock.monotonic() / 5
    assert taken <= 100 * windows + 0.4 * requests + 1  # a request counts in two halves of the window
    assert budget.refused == refused


def test_a_client_with_few_requests_may_repeat_each_and_a_busy_one_a_fifth() -> None:
    clock = ManualClock()
    budget = RetryBudget(clock)
    for _ in range(40):
        budget.count_request()
    assert all(budget.take() for _ in range(100))
    for _ in range(960):
        budget.count_request()
    assert sum(budget.take() for _ in range(1000)) == 200
    clock.advance(10)
    assert sum(budget.take() for _ in range(1000)) == 100
