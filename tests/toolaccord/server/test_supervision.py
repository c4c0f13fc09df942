"""A server with two workers, as processes."""

import asyncio
import os
import re
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import PATIENCE_S, Gate, started

pytestmark = pytest.mark.asyncio(loop_scope="module")
ENVIRON = {"MCP_OPEN_PATHS": "/health,/ready,/metrics"}
_ESTABLISHED = "01"


class Workers:
    """A server with two workers, and what it tells."""

    def __init__(self, server: Listener, count: int = 2) -> None:
        self.server = server
        self._count = count
        self._read = 0

    async def pids(self) -> list[int]:
        """Wait until all workers accept connections, and return their process ids."""
        while len(pids := self._list_pids()) < self._count:
            await self.server.process.log_has("accepts connections", self._read)
        states = {"wanted": self._count, "accepting": self._count}
        ready = {"status": "ready", "sources": {"shelf": "ok"}, "workers": states}
        async with asyncio.timeout(PATIENCE_S):
            while (await self.get("/ready")).json() != ready:  # a busy machine answers late
                pass
        return pids

    def _list_pids(self) -> list[int]:
        """Return the process ids of workers that accept connections, as far as the log was read."""
        log = bytes(self.server.process.logged)
        self._read = len(log)
        return [int(pid) for pid in re.findall(rb"the worker (\d+) accepts", log) if is_alive(int(pid))]

    def connect(self) -> httpx.AsyncClient:
        """Return a client with connections of its own."""
        return httpx.AsyncClient(base_url=self.server.client.base_url, timeout=PATIENCE_S, verify=False)

    async def get(self, path: str) -> httpx.Response:
        """Request a page, and leave no connection, for which a replaced worker would wait."""
        async with self.connect() as client:
            return await client.get(path)

    async def call(self, times: int = 1) -> None:
        """Call a tool over connections of their own."""
        for _ in range(times):
            async with self.connect() as client:
                answer = await client.post("/mcp/tools/get_book", json={"id": 7})
                assert answer.json()["data"]["id"] == 7

    async def counted(self) -> float:
        """Return the number of successful calls in the metrics."""
        return await self.metric(r'mcp_tool_calls_total{.*status="success",tool="get_book"}')

    async def has_counted(self, calls: float) -> None:
        """Wait until the metrics have *calls*; a worker that answers late is missing once."""
        async with asyncio.timeout(PATIENCE_S):
            while await self.counted() < calls:
                pass
        assert await self.counted() == calls

    async def metric(self, series: str) -> float:
        text = (await self.get("/metrics")).text
        return sum(float(value) for value in re.findall(rf"^{series} (\S+)$", text, re.MULTILINE))


def open_connections(pid: int, port: int) -> set[str]:
    """Return the inodes of the connections of a process at a port of 127.0.0.1."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
    at_port = {line[9] for line in lines if line[1].endswith(f":{port:04X}") and line[3] == _ESTABLISHED}
    links = set()
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            links.add(str(each.readlink()).removeprefix("socket:[").removesuffix("]"))
    return at_port & links


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Stop a process meanwhile."""
    os.kill(pid, signal.SIGSTOP)
    while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
        pass
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def workers() -> AsyncIterator[Workers]:
    async with listening("--workers", "2", environ=ENVIRON) as server:
        yield Workers(server)


async def test_metrics_count_the_calls_of_both_workers(workers: Workers) -> None:
    one, other = await workers.pids()
    before = await workers.counted()
    for serving, idle in ((one, other), (other, one)):
        with stopped(idle):  # all connections go to the other one
            await workers.call(5)
        await workers.server.process.log_has(f'"worker":{serving},"corr_id"')
    await workers.has_counted(before + 10)
    assert await workers.metric('mcp_workers{state="accepting"}') == 2


async def test_a_killed_worker_is_replaced_and_its_calls_stay_counted(workers: Workers) -> None:
    killed, other = await workers.pids()
    await workers.call(4)
    counted, failures = await workers.counted(), await workers.metric("mcp_worker_failures_total")
    os.kill(killed, signal.SIGKILL)
    await workers.call(4)
    await workers.server.process.log_has(f"the worker {killed} was ended by the signal 9")
    await workers.has_counted(counted + 4)
    pids = await workers.pids()
    assert other in pids
    assert killed not in pids
    assert await workers.metric("mcp_worker_failures_total") == failures + 1
    await workers.has_counted(counted + 4)


async def test_sighup_replaces_both_workers_and_loses_no_request(workers: Workers) -> None:
    before, counted = await workers.pids(), await workers.counted()
    done = [0]
    replaced = asyncio.create_task(workers.server.process.log_has("all workers are replaced"))

    async def load() -> None:
        async with workers.connect() as client:
            while not replaced.done():
                answer = await client.post("/mcp/tools/get_book", json={"id": 7})
                assert (answer.status_code, answer.json()["data"]["id"]) == (200, 7)
                assert (await client.get("/ready")).status_code == 200
                done[0] += 1
                await asyncio.sleep(0.01)  # leaves the new workers time to start

    workers.server.process.signal(signal.SIGHUP)
    await asyncio.gather(*(load() for _ in range(4)))
    assert set(await workers.pids()).isdisjoint(before)
    await workers.has_counted(counted + done[0])


async def test_sigterm_lets_the_calls_of_all_workers_finish_and_ends_with_them(gate: Gate) -> None:
    async with listening("--workers", "2", environ=ENVIRON | gate.environ) as server:
        workers, process = Workers(server), server.process
        one, other = await workers.pids()
        calls = []
        for serving, idle in ((one, other), (other, one)):
            with stopped(idle):
                client = workers.connect()
                calls.append(asyncio.create_task(client.post("/mcp/tools/misbehave", json={"how": "gate"})))
                await process.log_has(f'"at the gate","worker":{serving}')
        process.signal(signal.SIGTERM)
        await process.log_has("no more requests are accepted")
        gate.open()
        assert [answer.json()["data"]["done"] for answer in await asyncio.gather(*calls)] == [1, 1]
        assert await process.exit_code() == 0
        assert not is_alive(one)
        assert not is_alive(other)
        with socket.socket() as closed:
            assert closed.connect_ex(("127.0.0.1", server.port)) != 0


async def test_a_burst_of_128_connections_is_shared_out_to_two_workers(workers: Workers) -> None:
    await check_burst(workers)


async def test_a_burst_of_128_connections_is_shared_out_to_four_workers() -> None:
    async with listening("--workers", "4", environ=ENVIRON) as server:
        await check_burst(Workers(server, 4))


async def check_burst(workers: Workers) -> None:
    """Check that one of five bursts is shared out evenly, because workers may be busy."""
    pids, port = await workers.pids(), workers.server.port
    bursts = (take_burst(pids, port) for _ in range(5))
    assert any(max(numbers) - min(numbers) <= 4 for numbers in bursts)


def take_burst(pids: list[int], port: int) -> list[int]:
    """Open 128 connections at once, and close them; return how many each worker had."""
    with ExitStack() as burst:
        for _ in range(128):
            burst.enter_context(socket.create_connection(("127.0.0.1", port)))
        while sum(numbers := [len(open_connections(pid, port)) for pid in pids]) < 128:
            pass
    while any(open_connections(pid, port) for pid in pids):
        pass
    return numbers


async def end(*arguments: str, module: str = "tests.toolaccord.demo.library", **environ: str) -> tuple[int, str]:
    """Return the exit code of a server that does not start, and the text that it writes."""
    async with started(*arguments, module=module, environ=environ) as server:
        return await server.exit_code(), server.logged.decode()


async def test_wrong_settings_end_all_workers_with_one_message() -> None:
    code, text = await end("--transport", "http", "--workers", "2", MCP_DRAIN_S="soon")
    assert code == 2
    assert text.count("MCP_DRAIN_S must be") == 1


async def test_a_port_in_use_ends_all_workers_with_one_message() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, text = await end("--transport", "http", "--workers", "2", "--port", str(port))
    assert (code, text) == (1, f"library-mcp: cannot listen on localhost port {port}: Address already in use\n")


async def test_stdio_has_no_workers_but_one() -> None:
    code, text = await end("--workers", "2")
    assert code == 2
    assert "--workers is for HTTP" in text
    async with started("--workers", "1") as server:
        await server.shake_hands()


@pytest.mark.parametrize("text", ["0", "65", "-1", "two", "٣"])
async def test_a_wrong_number_of_workers_is_explained(text: str) -> None:
    code, written = await end("--transport", "http", f"--workers={text}")
    assert code == 2
    assert written.endswith("is no number of workers; it is a number from 1 to 64\n")


async def test_a_rate_limit_that_workers_cannot_share_ends_the_start() -> None:
    arguments = ("--transport", "http", "--workers", "2")
    code, text = await end(*arguments, module="tests.toolaccord.demo.gate", REDIS_URL="redis://127.0.0.1:1")
    assert code == 2
    assert "--workers 2: each worker would allow a caller the whole rate limit of knock; name a Redis source" in text
