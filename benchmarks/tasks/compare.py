"""Tasks of toolaccord beside those of FastMCP, on the same Redis.

Run with `./run bench -- tasks compare`; it takes about four minutes. Each server is one process, which also runs its
tasks. Rounds alternate between both, and the median of the rounds counts.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from benchmarks.pace import log_progress
from benchmarks.tasks.jobs_server import NEVER, REDIS
from benchmarks.tasks.wire import FINAL, TaskClient, WireError
from tests.services.served import free_port
from tests.services.valkey import Valkey

ROOT = Path(__file__).parents[2]
PEER = "fastmcp-tasks==4.1.4"
_ENVIRONMENT = ROOT / ".cache/fastmcp-tasks"
ROUNDS = 3
_TASKS, _CALLERS, _SEQUENTIAL, _POLLS = 500, 20, 100, 300
_WAITING = 10_000
_IDLE_S = 10.0
_READY_S = 60.0
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of one server in one round."""

    rate: float
    """Tasks a second, with twenty callers."""
    latency_ms: float
    """Milliseconds from create to the end that a caller sees, at the median."""
    processor_ms: float
    """Milliseconds of the server's processor for a task, its polls included."""
    poll_ms: float
    """Milliseconds of the server's processor for a look at a finished task."""
    idle_ms: float
    """Milliseconds of the server's processor in a second without tasks."""
    idle_commands: float
    """Commands to Redis in such a second."""
    redis_bytes: float
    """Bytes in Redis for a task that waits."""
    server_bytes: float
    """Bytes in the server for a task that waits."""


@dataclass(frozen=True, slots=True)
class _Measured:
    """A running server, and its Redis."""

    session: aiohttp.ClientSession
    client: TaskClient
    pid: int
    redis: Valkey

    @property
    def processor_ms(self) -> float:
        """Milliseconds of the processor that the server has used."""
        values = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return 1000 * (int(values[11]) + int(values[12])) / _TICKS

    @property
    def resident_bytes(self) -> int:
        """Resident bytes of the server."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def redis_figure(self, name: str) -> int:
        """Return a number of Redis's INFO."""
        return int(self.redis.command("INFO")[name])


async def compare(folder: Path) -> Mapping[str, Sequence[Figures]]:
    """Return the figures of each server in each round."""
    peer = find_peer()
    commands = {
        "toolaccord": [sys.executable, "-m", "benchmarks.tasks.jobs_server", "--transport", "http", "--port"],
        PEER: [str(peer), str(ROOT / "benchmarks/tasks/fastmcp_server.py")],
    }
    figures: dict[str, list[Figures]] = {name: [] for name in commands}
    for number in range(ROUNDS):
        for name, command in commands.items():
            log_progress(f"tasks: round {number + 1} of {name}")
            home = folder / f"{number}-{len(figures[name])}-{name.partition('=')[0]}"
            home.mkdir()
            async with _running(command, home, is_ours=name == "toolaccord") as measured:
                figures[name].append(await _measure(measured))
    return figures


async def _measure(measured: _Measured) -> Figures:
    client = measured.client
    await asyncio.gather(*(_finish(client, 0.005) for _ in range(_CALLERS)))
    used = measured.processor_ms
    begun = time.perf_counter()
    await asyncio.gather(*(_finish_several(client, _TASKS // _CALLERS) for _ in range(_CALLERS)))
    rate, processor_ms = _TASKS / (time.perf_counter() - begun), (measured.processor_ms - used) / _TASKS
    latencies = [await _finish(client, 0.001) for _ in range(_SEQUENTIAL)]
    poll_ms = await _measure_polls(measured)
    idle_ms, idle_commands = await _measure_idle(measured)
    redis_bytes, server_bytes = await _measure_waiting(measured)
    latency_ms = 1000 * statistics.median(latencies)
    return Figures(rate, latency_ms, processor_ms, poll_ms, idle_ms, idle_commands, redis_bytes, server_bytes)


async def _finish_several(client: TaskClient, number: int) -> None:
    for _ in range(number):
        await _finish(client, 0.005)


async def _finish(client: TaskClient, pause_s: float) -> float:
    """Create a task and wait for its end; return the seconds."""
    begun = time.perf_counter()
    task_id = await client.create("count", {"to": 3})
    while (task := await client.get(task_id))["status"] not in FINAL:  # noqa: ASYNC110 - polls are measured
        await asyncio.sleep(pause_s)
    if task["status"] != "completed":
        raise WireError(str(task)[:300])
    return time.perf_counter() - begun


async def _measure_polls(measured: _Measured) -> float:
    task_id = await measured.client.create("count", {"to": 3})
    while (await measured.client.get(task_id))["status"] not in FINAL:  # noqa: ASYNC110 - likewise
        await asyncio.sleep(0.01)
    used = measured.processor_ms
    for _ in range(_POLLS):
        await measured.client.get(task_id)
    return (measured.processor_ms - used) / _POLLS


async def _measure_idle(measured: _Measured) -> tuple[float, float]:
    used, commands = measured.processor_ms, measured.redis_figure("total_commands_processed")
    await asyncio.sleep(_IDLE_S)
    ran = measured.redis_figure("total_commands_processed") - commands
    return (measured.processor_ms - used) / _IDLE_S, ran / _IDLE_S


async def _measure_waiting(measured: _Measured) -> tuple[float, float]:
    """Return the bytes of a waiting task in Redis and in the server; ten others run for ever."""
    for _ in range(_CALLERS):
        await measured.client.create("count", {"to": NEVER})
    redis, server = measured.redis_figure("used_memory"), measured.resident_bytes

    async def create(number: int) -> None:
        for _ in range(number):
            await measured.client.create("count", {"to": NEVER})

    await asyncio.gather(*(create(_WAITING // _CALLERS) for _ in range(_CALLERS)))
    return (
        (measured.redis_figure("used_memory") - redis) / _WAITING,
        (measured.resident_bytes - server) / _WAITING,
    )


@asynccontextmanager
async def _running(command: Sequence[str], home: Path, *, is_ours: bool) -> AsyncIterator[_Measured]:
    """Run a server with a Redis of its own."""
    with Valkey(home, "--appendonly", "yes").running() as redis:
        port = free_port()
        environ = os.environ | {REDIS: redis.url, "FASTMCP_TELEMETRY_MODE": "off", "FASTMCP_CHECK_FOR_UPDATES": "off"}
        arguments = [str(port), "--log-level", "error"] if is_ours else [str(port), redis.url]
        process = await asyncio.create_subprocess_exec(
            *command,
            *arguments,
            cwd=ROOT,
            env=environ,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
                client = TaskClient(session)
                await _wait_until_ready(client)
                yield _Measured(session, client, process.pid, redis)
        finally:
            process.kill()
            await process.wait()


async def _wait_until_ready(client: TaskClient) -> None:
    end = time.monotonic() + _READY_S
    while True:
        try:
            await _finish(client, 0.01)
        except WireError:
            if time.monotonic() > end:
                raise
            await asyncio.sleep(0.2)
        else:
            return


def find_peer() -> Path:
    """Return the Python of an environment with the peer, which is made once."""
    python = _ENVIRONMENT / "bin/python"
    if not python.exists():
        log_progress(f"tasks: installs {PEER}")
        subprocess.run([sys.executable, "-m", "venv", _ENVIRONMENT], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "fastmcp>=4.1", PEER], check=True)
    return python
