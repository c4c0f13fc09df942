import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from tests.toolaccord.scripted_connection import settle
from toolaccord.sources.http import HttpBadResponse, HttpRateLimited, HttpTimeout, HttpUnavailable
from toolaccord.sources.http.retry import retry
from toolaccord.testing import ManualClock
from toolaccord.timing.deadline import run_within
from toolaccord.timing.retry_budget import RetryBudget

TRANSIENT = [
    HttpUnavailable("", status=500),
    HttpUnavailable("", status=503),
    HttpUnavailable("", connection_failed=True),
    HttpRateLimited("", status=429),
]
PERMANENT = [
    HttpUnavailable("", status=404),
    HttpUnavailable("", status=302),
    HttpUnavailable("a wrong address"),
    HttpRateLimited("no slot"),
    HttpTimeout(""),
    HttpBadResponse(""),
]


@dataclass
class Service:
    """A service that fails *fails* times, and then answers."""

    failure: Exception
    fails: int
    clock: ManualClock = field(default_factory=ManualClock)
    requested_at: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.budget = RetryBudget(self.clock)

    async def answer(self) -> str:
        self.requested_at.append(self.clock.monotonic())
        if len(self.requested_at) <= self.fails:
            raise self.failure
        return "answer"

    def start_request(
        self, retries: int, jitter: Callable[[], float] = lambda: 0, seconds: float = 60
    ) -> asyncio.Task[str]:
        """Start a request with a deadline of *seconds*."""
        return asyncio.create_task(
            run_within(self.clock, seconds, retry(retries, self.budget, self.clock, jitter, self.answer))
        )

    async def request(self, retries: int, jitter: Callable[[], float] = lambda: 0, seconds: float = 60) -> str:
        request = self.start_request(retries, jitter, seconds)
        while not request.done():
            for _ in range(5):
                await asyncio.sleep(0)
            self.clock.advance(0.125)
        return await request


@pytest.mark.parametrize("failure", TRANSIENT, ids=lambda failure: f"{type(failure).__name__} {failure.status}")
async def test_a_transient_failure_is_retried_with_a_delay_that_doubles(failure: Exception) -> None:
    service = Service(failure, fails=3)
    assert await service.request(retries=3) == "answer"
    assert service.requested_at == [0, 0.5, 1.5, 3.5]


@pytest.mark.parametrize("failure", PERMANENT, ids=lambda failure: f"{type(failure).__name__} {failure}")
async def test_a_permanent_failure_is_not_retried(failure: Exception) -> None:
    service = Service(failure, fails=1)
    with pytest.raises(type(failure)):
        await service.request(retries=3)
    assert service.requested_at == [0]


async def test_the_last_failure_is_raised_when_the_retries_are_used_up() -> None:
    service = Service(HttpUnavailable("", status=503), fails=9)
    with pytest.raises(HttpUnavailable):
        await service.request(retries=2)
    assert len(service.requested_at) == 3


async def test_jitter_lengthens_the_delay_by_up_to_a_tenth() -> None:
    service = Service(HttpUnavailable("", status=503), fails=1)
    request = service.start_request(retries=1, jitter=lambda: 1)
    for seconds, requests in ((0, 1), (0.54, 1), (0.02, 2)):
        await settle()
        service.clock.advance(seconds)
        await settle()
        assert len(service.requested_at) == requests
    await request


async def test_a_retry_waits_for_retry_after() -> None:
    service = Service(HttpRateLimited("", status=429, retry_after_s=7), fails=1)
    await service.request(retries=1)
    assert service.requested_at == [0, 7]


@pytest.mark.parametrize("after_s,seconds", [(7, 6), (None, 0.4)])
async def test_a_failure_is_raised_at_once_if_the_delay_exceeds_the_deadline(
    after_s: float | None, seconds: float
) -> None:
    service = Service(HttpRateLimited("", status=429, retry_after_s=after_s), fails=1)
    with pytest.raises(HttpRateLimited):
        await service.start_request(1, seconds=seconds)
    assert service.clock.monotonic() == 0


async def test_callers_of_a_service_that_fails_share_one_budget_of_retries() -> None:
    service = Service(HttpUnavailable("", status=503), fails=10_000)
    requests = [service.start_request(retries=3) for _ in range(1000)]
    for pause_s in (0.0, 0.5, 1.0, 2.0):
        service.clock.advance(pause_s)
        await settle()
    failures = await asyncio.gather(*requests, return_exceptions=True)
    assert {type(each) for each in failures} == {HttpUnavailable}
    assert len(service.requested_at) == 1000 + 100 + 200
    assert service.budget.refused == 1000


async def test_a_request_that_the_circuit_breaker_rejected_is_not_retried() -> None:
    rejected = HttpUnavailable("", connection_failed=True)
    rejected.is_rejected = True
    service = Service(rejected, fails=1)
    with pytest.raises(HttpUnavailable):
        await service.request(retries=3)
    assert service.requested_at == [0]
