"""A supervisor of small programs, which speak with it as workers do."""

import asyncio
import errno
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.toolaccord.process import PATIENCE_S
from toolaccord.config.process_settings import StopTimeouts
from toolaccord.server.startup import StartError
from toolaccord.server.workers import supervisor as module
from toolaccord.server.workers.balance import Balance
from toolaccord.server.workers.supervisor import Supervisor, Times
from toolaccord.server.workers.worker_process import Command

SERVING = """
import json, os, signal, socket, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open(sys.argv[1], "a") as starts:
    starts.write("x")
starts = os.stat(sys.argv[1]).st_size
channel = socket.socket(fileno=json.loads(os.environ["TOOLACCORD_WORKER"])["channel"])
def send(*message):
    channel.sendall(json.dumps(message).encode() + b"\\n")
def serve(**answers):
    send(0, "accepts", True)
    for line in channel.makefile():
        number, topic, content = json.loads(line)
        if topic in ("stop", "retire"):
            break
        if number and topic in answers:
            send(number, None, answers[topic])
READY = {"is_ready": True, "sources": {}}
"""
"""The beginning of each program."""
DYING = SERVING + "send(0, 'accepts', True)"
WELL = SERVING + "serve(ping=True, ready=READY)"
QUICK = Times(ping_s=0.01, start_s=PATIENCE_S, look_s=0.01, first_pause_s=0.01, longest_pause_s=0.04)


@pytest.fixture(autouse=True)
def _hang_up_is_taken() -> Iterator[None]:
    """Take SIGHUP as usual, also in a run that ignores it, as after nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@asynccontextmanager
async def running(program: str, folder: Path, times: Times = QUICK) -> AsyncIterator[Supervisor]:
    """Give a supervisor of two workers, which a signal stops at the end."""
    supervisor = make(program, folder, times)
    task = asyncio.create_task(supervisor.run())
    await asyncio.sleep(0)
    yield supervisor
    signal.raise_signal(signal.SIGTERM)
    await asyncio.wait_for(task, PATIENCE_S)


def make(program: str, folder: Path, times: Times = QUICK) -> Supervisor:
    arguments = [sys.executable, "-S", "-E", "-c", program, str(folder / "starts")]
    command = Command(arguments=arguments, environ=os.environ, sockets=[], balance=Balance.create(8))
    return Supervisor(command, 2, StopTimeouts(drain_s=0, grace_s=0), times)


class Log(logging.Handler):
    """The log of supervisors, which tests wait for."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._more = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())
        self._more.set()

    async def wait_until(self, is_enough: Callable[[str], bool], count: int = 1) -> list[str]:
        """Wait for *count* lines, and return them."""
        async with asyncio.timeout(PATIENCE_S):
            while len(found := [line for line in self.lines if is_enough(line)]) < count:
                self._more.clear()
                await self._more.wait()
        return found


@pytest.fixture
def log() -> Log:
    handler, logger = Log(), logging.getLogger("toolaccord.server.workers")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    return handler


async def test_a_first_worker_that_says_why_it_cannot_start_ends_all_with_its_exit_code(tmp_path: Path) -> None:
    supervisor = make(SERVING + "sys.exit(2)", tmp_path)
    await supervisor.run()
    assert supervisor.exit_code == 2
    assert (tmp_path / "starts").read_text() == "x"


async def test_a_first_worker_that_is_killed_at_its_start_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="the first worker was ended by the signal 9 before it accepted connections"):
        await make(SERVING + "os.kill(os.getpid(), 9)", tmp_path).run()


async def test_workers_that_die_soon_are_started_after_longer_and_longer_pauses(tmp_path: Path, log: Log) -> None:
    async with running(DYING, tmp_path):
        ends = await log.wait_until(lambda line: "the next one starts in" in line, 12)
    pauses = [float(line.split()[-2]) for line in ends]
    assert pauses[0] == 0
    assert max(pauses) == 0.04
    assert sorted(set(pauses)) == [0, 0.01, 0.02, 0.04]


async def test_a_worker_that_answers_no_ping_is_killed_and_replaced(tmp_path: Path, log: Log) -> None:
    async with running(SERVING + "serve(ready=READY)", tmp_path):
        await log.wait_until(lambda line: "answers nothing, and is killed" in line)
        await log.wait_until(lambda line: "was ended by the signal 9; the next one starts" in line)


async def test_a_worker_that_missed_an_answer_holds_up_nobody_again(tmp_path: Path, log: Log) -> None:
    times = Times(answer_s=0.01)
    async with running(SERVING + "serve()", tmp_path, times) as supervisor:
        await log.wait_until(lambda line: "accepts" in line, 2)
        assert await supervisor._list_states() == []
        assert all(worker.is_silent for worker in supervisor._workers)
        supervisor._times = Times(answer_s=PATIENCE_S)
        async with asyncio.timeout(PATIENCE_S / 2):
            assert await supervisor._list_states() == []


@pytest.mark.parametrize(
    "end, fault",
    [
        (
            "starts > 2 and sys.exit(1)\nserve(ready=READY)",
            "the new worker ended with the exit code 1; no other is replaced",
        ),
        ("serve(ready=READY | {'is_ready': starts < 3})", "the new worker was not ready within 0.5 s"),
    ],
    ids=["dead", "not ready"],
)
async def test_a_new_worker_that_is_not_ready_replaces_nobody(tmp_path: Path, log: Log, end: str, fault: str) -> None:
    start_s = PATIENCE_S if "exit" in end else 0.5
    async with running(SERVING + end, tmp_path, Times(start_s=start_s, look_s=0.01)) as supervisor:
        await log.wait_until(lambda line: "accepts" in line, 2)
        before = [place.worker for place in supervisor._places]
        signal.raise_signal(signal.SIGHUP)
        await log.wait_until(lambda line: line.startswith(fault))
        assert [place.worker for place in supervisor._places] == before
        assert all(worker.is_accepting for worker in before)


async def test_sighup_replaces_one_worker_after_the_other(tmp_path: Path, log: Log) -> None:
    async with running(WELL, tmp_path, Times(look_s=0.01)) as supervisor:
        await log.wait_until(lambda line: "accepts" in line, 2)
        before = [place.worker for place in supervisor._places]
        signal.raise_signal(signal.SIGHUP)
        await log.wait_until(lambda line: line == "all workers are replaced")
        assert not any(worker.is_running for worker in before)
        assert len(supervisor._workers) == 2
    assert (tmp_path / "starts").read_text() == "xxxx"


async def test_workers_that_do_not_end_in_time_are_killed(
    tmp_path: Path, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STOP_S", 0)
    monkeypatch.setattr(module, "_KILL_S", 0.05)
    async with running(SERVING + "while True: serve(); signal.pause()", tmp_path, Times()):
        await log.wait_until(lambda line: "accepts" in line, 2)
    assert "workers that did not end in time, and are killed: 2" in log.lines


async def test_a_stop_ends_a_worker_that_has_not_started(tmp_path: Path) -> None:
    async with running("import time; time.sleep(3600)", tmp_path) as supervisor:
        pass
    assert supervisor.exit_code == 0


async def test_a_second_signal_ends_workers_that_wait_for_their_calls(tmp_path: Path, log: Log) -> None:
    program = SERVING + "send(0, 'accepts', True)\nfor line in channel.makefile():\n    if 'force' in line: break"
    supervisor = make(program, tmp_path, Times())
    supervisor._timeouts = StopTimeouts(drain_s=0, grace_s=3600)
    task = asyncio.create_task(supervisor.run())
    await log.wait_until(lambda line: "accepts" in line, 2)
    signal.raise_signal(signal.SIGTERM)
    await supervisor._stop.wait()
    signal.raise_signal(signal.SIGTERM)
    await asyncio.wait_for(task, PATIENCE_S)


def count_descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def deny_starts(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Let the system start no process, *count* times."""
    start, left = asyncio.create_subprocess_exec, iter(range(count))

    async def deny(*arguments: Any, **options: Any) -> asyncio.subprocess.Process:
        if next(left, None) is not None:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        return await start(*arguments, **options)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", deny)


async def test_a_worker_is_started_as_soon_as_the_system_can(
    tmp_path: Path, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(WELL, tmp_path, QUICK) as supervisor:
        await log.wait_until(lambda line: "accepts" in line, 2)
        dying, living = [place.worker for place in supervisor._places]
        descriptors = count_descriptors()
        deny_starts(monkeypatch, 4)
        dying.kill()
        tries = await log.wait_until(lambda line: line.startswith("no worker can be started, and the next try"), 4)
        assert tries[-1].endswith(f"in 0.04 s: [Errno {errno.EAGAIN}] Resource temporarily unavailable")
        await log.wait_until(lambda line: "accepts" in line, 3)
        assert living.is_accepting
        assert count_descriptors() == descriptors


async def test_sighup_leaves_all_workers_while_the_system_starts_none(
    tmp_path: Path, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(WELL, tmp_path, QUICK) as supervisor:
        await log.wait_until(lambda line: "accepts" in line, 2)
        deny_starts(monkeypatch, 1)
        signal.raise_signal(signal.SIGHUP)
        await log.wait_until(lambda line: line.startswith("no worker can be started, and no other is replaced"))
        assert all(place.worker.is_accepting for place in supervisor._places)


async def test_a_first_worker_that_the_system_does_not_start_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deny_starts(monkeypatch, 1)
    with pytest.raises(StartError, match=r"the first worker cannot be started: .* temporarily unavailable"):
        await make(WELL, tmp_path).run()
