"""Two servers that share the results of a real Redis, also while it or one of them fails."""

import asyncio
import itertools
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.services.valkey import Valkey
from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import PATIENCE_S, Gate
from toolaccord.testing.faults import Relay

UNAVAILABLE = b"the shared store state is unavailable"
SLOW = b"the shared store state is slow"
READ_ONLY = b"the shared store state is read_only"
AVAILABLE = b"the shared store state is available again"
NAMES = (f"place {number}" for number in itertools.count())


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    with Valkey(tmp_path_factory.mktemp("valkey")).running() as server:
        yield server


class Replicas:
    """Two servers, and the number of their loads."""

    def __init__(self, listeners: list[Listener], loads: Path) -> None:
        self.listeners = listeners
        self._loads = loads

    @property
    def loads(self) -> int:
        return self._loads.stat().st_size

    async def call(self, replica: int, place: str, **arguments: Any) -> dict[str, Any]:
        """Return the answer to a call, which is no error."""
        body = {"name": "forecast", "arguments": {"place": place} | arguments}
        answer: dict[str, Any] = (await self.listeners[replica].client.post("/mcp/tools/call", json=body)).json()
        assert "data" in answer, answer
        return answer

    async def share(self) -> bool:
        """Return whether the replicas share the result of a new place."""
        place = next(NAMES)
        return [(await self.call(replica, place))["_metadata"]["cached"] for replica in (0, 1)] == [False, True]

    def logged(self, text: bytes) -> int:
        """Return how often the first replica logged *text*."""
        return self.listeners[0].process.logged.count(text)


@asynccontextmanager
async def replicas_on(url: str, folder: Path, gate: Gate) -> AsyncIterator[Replicas]:
    """Run two servers on the Redis at *url*."""
    loads = folder / "loads"
    loads.touch()
    environ = gate.environ | {"REDIS_URL": url, "FORECAST_LOADS": str(loads)}
    module = "tests.toolaccord.demo.forecast"
    async with listening(module=module, environ=environ) as one, listening(module=module, environ=environ) as other:
        yield Replicas([one, other], loads)


@pytest.fixture
async def replicas(valkey: Valkey, tmp_path: Path, gate: Gate) -> AsyncIterator[Replicas]:
    valkey.command("FLUSHALL")
    async with replicas_on(valkey.url, tmp_path, gate) as replicas:
        yield replicas


async def test_fifty_callers_of_two_replicas_share_one_load(replicas: Replicas, gate: Gate) -> None:
    calls = [asyncio.create_task(replicas.call(number % 2, "Gate")) for number in range(50)]
    done = asyncio.gather(*(asyncio.shield(call) for call in calls))
    at_gate = [asyncio.create_task(each.process.log_has("at the gate")) for each in replicas.listeners]
    await asyncio.wait(at_gate, return_when=asyncio.FIRST_COMPLETED)
    gate.open()
    assert {answer["data"]["load"] for answer in await done} == {1}
    assert replicas.loads == 1
    for waiting in at_gate:
        waiting.cancel()


async def test_a_fresh_result_of_one_replica_reaches_the_other(replicas: Replicas) -> None:
    assert (await replicas.call(0, "Riga"))["data"]["load"] == 1
    assert (await replicas.call(0, "Riga", fresh=True))["data"]["load"] == 2
    assert (await replicas.call(1, "Riga"))["data"]["load"] == 2


async def test_a_replica_loads_what_a_killed_one_was_loading(replicas: Replicas, gate: Gate) -> None:
    holder = asyncio.create_task(replicas.listeners[0].client.post("/mcp/tools/forecast", json={"place": "Gate"}))
    await replicas.listeners[0].process.log_has("at the gate")
    waiter = asyncio.create_task(replicas.call(1, "Gate"))
    replicas.listeners[0].process.signal(signal.SIGKILL)
    await asyncio.wait({holder})
    assert holder.exception() is not None
    await replicas.listeners[1].process.log_has("at the gate")
    gate.open()
    assert (await waiter)["data"]["load"] == 2
    assert (await replicas.call(1, "Gate"))["data"]["load"] == 2


@pytest.mark.parametrize(
    "fault, line",
    [(Valkey.stopped, UNAVAILABLE), (Valkey.frozen, SLOW), (Valkey.full, READ_ONLY)],
    ids=["stopped", "frozen", "full"],
)
async def test_callers_get_results_while_redis_fails_and_the_log_says_so_once(
    replicas: Replicas, valkey: Valkey, fault: Callable[[Valkey], AbstractContextManager[None]], line: bytes
) -> None:
    await assert_shared_again(replicas)
    with fault(valkey):
        while not replicas.logged(line):
            await replicas.call(0, next(NAMES))
        for _ in range(100):
            await replicas.call(0, next(NAMES))
        assert replicas.logged(line) == 1
    await assert_shared_again(replicas)
    await replicas.listeners[0].process.log_has(AVAILABLE.decode())
    assert replicas.logged(AVAILABLE) == 1


async def assert_shared_again(replicas: Replicas) -> None:
    """Wait until both replicas have tried Redis again, which they do once a second."""
    async with asyncio.timeout(PATIENCE_S):
        while not await replicas.share():
            pass


async def test_replicas_share_results_again_after_redis_has_lost_them(replicas: Replicas, valkey: Valkey) -> None:
    assert (await replicas.call(0, "Riga"))["data"]["load"] == 1
    valkey.restart()
    await assert_shared_again(replicas)
    loads = replicas.loads
    assert (await replicas.call(1, "Riga"))["data"]["load"] == loads + 1


async def test_a_slow_redis_is_used_and_a_too_slow_one_is_not(valkey: Valkey, tmp_path: Path, gate: Gate) -> None:
    async with (
        Relay(valkey.port).running() as relay,
        replicas_on(f"redis://127.0.0.1:{relay.port}/0", tmp_path, gate) as replicas,
    ):
        relay.delay_s = 0.02
        await assert_shared_again(replicas)
        relay.delay_s = 5
        for _ in range(100):
            await replicas.call(0, next(NAMES))
        await replicas.listeners[0].process.log_has(SLOW.decode())
        relay.delay_s = 0
        relay.reset()
        await assert_shared_again(replicas)


async def test_a_server_is_ready_without_the_redis_of_its_cache(replicas: Replicas, valkey: Valkey) -> None:
    client = replicas.listeners[0].client
    with valkey.stopped():
        response = await client.get("/ready")
        assert (response.status_code, response.json()["sources"]) == (200, {"state": "unavailable"})
