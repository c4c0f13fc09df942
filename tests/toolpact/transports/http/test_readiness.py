"""Whether a server says rightly that it can work."""

import asyncio

import httpx
import pytest

from tests.toolpact.listener import listening
from toolpact.errors import SourceError
from toolpact.sources import PoolState
from toolpact.testing import FakeSource, ManualClock
from toolpact.transports.http.readiness import Readiness
from toolpact.transports.http.traffic import Traffic


class Shelf(FakeSource):
    """A source that answers, or does not, or takes its time."""

    def __init__(self) -> None:
        super().__init__("shelf")
        self.fault: Exception | None = None
        self.checked = 0
        self.begun = asyncio.Event()
        self.free = asyncio.Event()
        self.free.set()

    async def check(self) -> None:
        self.checked += 1
        self.begun.set()
        await self.free.wait()
        if self.fault:
            raise self.fault


class BusyShelf(Shelf):
    """A source whose calls have all of its connections."""

    def pool_state(self) -> PoolState:
        return PoolState(idle=0, in_use=2, limit=2)


class Asked:
    """Readiness of two sources, as a probe meets it."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.shelf = Shelf()
        readiness = Readiness({"shelf": self.shelf, "wall": Shelf()}, Traffic(), self.clock)
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(readiness), base_url="http://localhost")

    async def says(self) -> tuple[int, str]:
        answer = await self._client.get("/ready")
        assert answer.json()["sources"]["wall"] == "ok"
        assert (answer.status_code == 200) == (answer.json()["status"] == "ready")
        assert "s3cr3t" not in answer.text
        return answer.status_code, answer.json()["sources"]["shelf"]


@pytest.fixture
async def asked() -> Asked:
    return Asked()


async def test_a_source_that_goes_and_comes_back_is_noticed(asked: Asked) -> None:
    assert await asked.says() == (200, "ok")
    asked.shelf.fault = SourceError("s3cr3t")
    asked.clock.advance(1.1)
    assert await asked.says() == (503, "unavailable")
    asked.shelf.fault = None
    asked.clock.advance(1.1)
    assert await asked.says() == (200, "ok")


async def test_a_source_that_is_busy_on_every_connection_is_not_asked_as_well() -> None:
    shelf = BusyShelf()
    shelf.fault = SourceError("nobody should ask")
    client = httpx.AsyncClient(
        transport=httpx.ASGITransport(Readiness({"shelf": shelf}, Traffic(), ManualClock())),
        base_url="http://localhost",
    )
    assert (await client.get("/ready")).json()["sources"] == {"shelf": "ok"}


async def test_many_probes_are_one_question(asked: Asked) -> None:
    assert set(await asyncio.gather(*(asked.says() for _ in range(50)))) == {(200, "ok")}
    assert await asked.says() == (200, "ok")
    assert asked.shelf.checked == 1


async def test_a_source_that_takes_too_long_counts_as_unavailable(asked: Asked) -> None:
    asked.shelf.free.clear()
    probe = asyncio.create_task(asked.says())
    await asked.shelf.begun.wait()
    asked.clock.advance(2)
    assert await probe == (503, "unavailable")


async def test_a_probe_that_leaves_takes_no_other_along(asked: Asked) -> None:
    asked.shelf.free.clear()
    first, second = asyncio.create_task(asked.says()), asyncio.create_task(asked.says())
    await asked.shelf.begun.wait()
    first.cancel()
    asked.shelf.free.set()
    assert await second == (200, "ok")


async def test_a_server_with_a_broken_source_lives_but_is_not_ready() -> None:
    async with listening(environ={"SHELF_URL": "broken s3cr3t"}) as server:
        ready = await server.client.get("/ready")
        assert (ready.status_code, ready.json()) == (503, {"status": "not ready", "sources": {"shelf": "unavailable"}})
        assert (await server.client.get("/health")).json() == {"status": "ok"}
