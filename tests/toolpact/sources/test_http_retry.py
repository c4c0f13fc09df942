import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from toolpact.sources.http import HttpBadResponse, HttpRateLimited, HttpTimeout, HttpUnavailable
from toolpact.sources.http.retry import retried, retry_after_s
from toolpact.testing import ManualClock
from toolpact.timing.deadline import run_within

MAY_PASS = [
    HttpUnavailable("", status=500),
    HttpUnavailable("", status=503),
    HttpUnavailable("", broken=True),
    HttpRateLimited("", status=429),
]
STAYS = [
    HttpUnavailable("", status=404),
    HttpUnavailable("", status=302),
    HttpUnavailable("a wrong address"),
    HttpRateLimited("no slot"),
    HttpTimeout(""),
    HttpBadResponse(""),
]


@dataclass
class Service:
    """What fails in a given way so many times, and then answers."""

    failure: Exception
    fails: int
    clock: ManualClock = field(default_factory=ManualClock)
    asked_at: list[float] = field(default_factory=list)

    async def answer(self) -> str:
        self.asked_at.append(self.clock.monotonic())
        if len(self.asked_at) <= self.fails:
            raise self.failure
        return "answer"

    def ask(self, retries: int, chance: Callable[[], float] = lambda: 1, seconds: float = 60) -> asyncio.Task[str]:
        """Ask within *seconds*, on a clock that moves whenever somebody waits for it."""
        return asyncio.create_task(run_within(self.clock, seconds, retried(retries, self.clock, chance, self.answer)))

    async def asked(self, retries: int, chance: Callable[[], float] = lambda: 1, seconds: float = 60) -> str:
        asking = self.ask(retries, chance, seconds)
        while not asking.done():
            for _ in range(5):
                await asyncio.sleep(0)
            self.clock.advance(0.125)
        return await asking


@pytest.mark.parametrize("failure", MAY_PASS, ids=lambda failure: f"{type(failure).__name__} {failure.status}")
async def test_what_may_pass_is_tried_again_each_time_twice_as_late(failure: Exception) -> None:
    service = Service(failure, fails=3)
    assert await service.asked(retries=3) == "answer"
    assert service.asked_at == [0, 0.5, 1.5, 3.5]


@pytest.mark.parametrize("failure", STAYS, ids=lambda failure: f"{type(failure).__name__} {failure}")
async def test_what_stays_is_not_tried_again(failure: Exception) -> None:
    service = Service(failure, fails=1)
    with pytest.raises(type(failure)):
        await service.asked(retries=3)
    assert service.asked_at == [0]


async def test_the_last_failure_is_raised_when_the_retries_are_used_up() -> None:
    service = Service(HttpUnavailable("", status=503), fails=9)
    with pytest.raises(HttpUnavailable):
        await service.asked(retries=2)
    assert len(service.asked_at) == 3


async def test_chance_takes_up_to_half_of_the_wait() -> None:
    service = Service(HttpUnavailable("", status=503), fails=1)
    await service.asked(retries=1, chance=lambda: 0)
    assert service.asked_at == [0, 0.25]


async def test_a_service_that_says_when_is_not_asked_sooner() -> None:
    service = Service(HttpRateLimited("", status=429, retry_after_s=7), fails=1)
    await service.asked(retries=1)
    assert service.asked_at == [0, 7]


@pytest.mark.parametrize("after_s,seconds", [(7, 6), (None, 0.4)])
async def test_without_the_time_to_wait_the_failure_is_raised_at_once(after_s: float | None, seconds: float) -> None:
    service = Service(HttpRateLimited("", status=429, retry_after_s=after_s), fails=1)
    with pytest.raises(HttpRateLimited):
        await service.ask(1, seconds=seconds)
    assert service.clock.monotonic() == 0


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
    ],
)
def test_retry_after_is_a_number_of_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header, datetime(2026, 11, 20, 12, tzinfo=UTC)) == seconds
