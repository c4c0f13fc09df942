"""Readiness of a server with sources that fail, hang or are busy."""

import asyncio
from typing import Any

import httpx
import pytest

from tests.toolaccord.listener import listening
from toolaccord.errors import SourceError
from toolaccord.sources import PoolState
from toolaccord.sources.grpc import GrpcTimeout
from toolaccord.testing import FakeSource, ManualClock, capture_logs
from toolaccord.transports.http.readiness import Readiness
from toolaccord.transports.http.traffic import Traffic


class Shelf(FakeSource):
    """A source that can fail or hang."""

    def __init__(self) -> None:
        super().__init__("shelf")
        self.error: Exception | None = None
        self.check_count = 0
        self.check_started = asyncio.Event()
        self.unblocked = asyncio.Event()
        self.unblocked.set()

    async def check(self) -> None:
        self.check_count += 1
        self.check_started.set()
        await self.unblocked.wait()
        if self.error:
            raise self.error


class BusyShelf(Shelf):
    """A source whose connections are all in use."""

    def pool_state(self) -> PoolState:
        return PoolState(idle=0, in_use=2, limit=2)


class Probe:
    """A probe of a server with two sources."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.shelf = Shelf()
        readiness = Readiness({"shelf": self.shelf, "wall": Shelf()}, Traffic(), self.clock)
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(readiness), base_url="http://localhost")

    async def send(self) -> tuple[int, str]:
        response = await self._client.get("/ready")
        assert response.json()["sources"]["wall"] == "ok"
        assert (response.status_code == 200) == (response.json()["status"] == "ready")
        assert "s3cr3t" not in response.text
        self.reasons = response.json().get("reasons", {})
        return response.status_code, response.json()["sources"]["shelf"]


@pytest.fixture
async def probe() -> Probe:
    return Probe()


async def test_a_source_that_fails_and_recovers_changes_readiness(probe: Probe) -> None:
    assert await probe.send() == (200, "ok")
    probe.shelf.error = SourceError("s3cr3t")
    probe.clock.advance(1.1)
    assert await probe.send() == (503, "unavailable")
    probe.shelf.error = None
    probe.clock.advance(1.1)
    assert await probe.send() == (200, "ok")


async def test_a_source_whose_connections_are_all_in_use_is_not_checked() -> None:
    shelf = BusyShelf()
    shelf.error = SourceError("must not be checked")
    client = httpx.AsyncClient(
        transport=httpx.ASGITransport(Readiness({"shelf": shelf}, Traffic(), ManualClock())),
        base_url="http://localhost",
    )
    assert (await client.get("/ready")).json()["sources"] == {"shelf": "ok"}


async def test_many_probes_share_one_check(probe: Probe) -> None:
    assert set(await asyncio.gather(*(probe.send() for _ in range(50)))) == {(200, "ok")}
    assert await probe.send() == (200, "ok")
    assert probe.shelf.check_count == 1


async def test_a_source_that_does_not_answer_in_time_is_unavailable(probe: Probe) -> None:
    probe.shelf.unblocked.clear()
    response = asyncio.create_task(probe.send())
    await probe.shelf.check_started.wait()
    probe.clock.advance(2)
    assert await response == (503, "unavailable")
    assert probe.reasons == {"shelf": "no answer within 2 s"}


async def test_each_change_of_the_reason_is_logged_once(probe: Probe) -> None:
    with capture_logs() as records:
        for error in (None, SourceError("s3cr3t"), SourceError("s3cr3t"), GrpcTimeout("s3cr3t"), None, None):
            probe.shelf.error = error
            probe.clock.advance(1.1)
            await probe.send()
            assert probe.reasons == ({"shelf": error.why} if error else {})
    written = [(record.levelname, record.getMessage()) for record in records if record.name.startswith("toolaccord")]
    assert written == [
        ("WARNING", f"source shelf: {SourceError.summary}"),
        ("WARNING", "source shelf: no answer in time; look whether it hangs or is overloaded"),
        ("INFO", "source shelf: no longer: no answer in time; look whether it hangs or is overloaded"),
    ]


async def test_a_cancelled_probe_does_not_cancel_others(probe: Probe) -> None:
    probe.shelf.unblocked.clear()
    first, second = asyncio.create_task(probe.send()), asyncio.create_task(probe.send())
    await probe.shelf.check_started.wait()
    first.cancel()
    probe.shelf.unblocked.set()
    assert await second == (200, "ok")


async def test_a_server_with_a_broken_source_is_healthy_but_not_ready() -> None:
    async with listening(environ={"SHELF_URL": "broken s3cr3t"}) as server:
        ready = await server.client.get("/ready")
        body = {"status": "not ready", "sources": {"shelf": "unavailable"}, "reasons": {"shelf": SourceError.summary}}
        assert (ready.status_code, ready.json()) == (503, body)
        assert (await server.client.get("/health")).json() == {"status": "ok"}


WELL = {"is_ready": True, "sources": {"shelf": "ok", "wall": "ok"}}
ILL = {
    "is_ready": False,
    "sources": {"shelf": "unavailable", "wall": "ok"},
    "reasons": {"shelf": "no answer within 2 s"},
}


@pytest.mark.parametrize(
    "states, status, accepting",
    [([WELL, WELL], 200, 2), ([WELL], 200, 1), ([ILL, WELL], 503, 2), ([WELL, ILL], 503, 2), ([], 503, 0)],
    ids=["all", "one that serves", "one that is not ready", "another one", "none"],
)
async def test_workers_are_ready_if_a_caller_can_reach_no_other(
    states: list[dict[str, Any]], status: int, accepting: int
) -> None:
    async def ask_all() -> dict[str, Any]:
        return {"wanted": 2, "states": states}

    readiness = Readiness({}, Traffic(), ManualClock(), ask_all=ask_all)
    client = httpx.AsyncClient(transport=httpx.ASGITransport(readiness), base_url="http://localhost")
    answer = await client.get("/ready")
    assert answer.status_code == status
    body = answer.json()
    assert body["workers"] == {"wanted": 2, "accepting": accepting}
    assert body.get("reasons") == (ILL["reasons"] if ILL in states else None)
    assert body["sources"] == (ILL["sources"] if ILL in states else WELL["sources"] if states else {})
