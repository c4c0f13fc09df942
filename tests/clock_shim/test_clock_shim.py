"""The wall clock is moved in every process, and nothing else is."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import asyncpg
import pytest

from tests.clock_shim.moved import CannotMoveError, build, moved_to
from tests.services import influxd
from tests.services.fetched import fetched

DAYS = timedelta(days=40)
SLACK = timedelta(hours=1)
"""Seconds that a comparison may take; far more than it does."""
NOW = "from datetime import UTC, datetime; print(datetime.now(UTC).isoformat())"
WAITS = """
import multiprocessing, threading, time
import grpc

time.sleep(0.01)
assert not threading.Event().wait(0.01)
assert not multiprocessing.Semaphore(0).acquire(timeout=0.01)  # sem_timedwait: until a time of day
try:
    grpc.channel_ready_future(grpc.insecure_channel("127.0.0.1:9")).result(timeout=0.01)
except grpc.FutureTimeoutError:
    print("over")
"""

Run = Callable[[timedelta, str], str]


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shim, compiled for this module."""
    try:
        return build(tmp_path_factory.mktemp("shim"))
    except CannotMoveError as problem:
        pytest.skip(str(problem))


@pytest.fixture
def run(shim: Path) -> Run:
    """Runs Python with its clock moved, and gives what it prints."""

    def under(shift: timedelta, code: str) -> str:
        moved = os.environ | {"LD_PRELOAD": str(shim), "CLOCK_SHIFT_S": str(int(shift.total_seconds()))}
        command = [sys.executable, "-c", code]
        return subprocess.run(command, env=moved, capture_output=True, encoding="utf-8", check=True, timeout=60).stdout

    return under


def difference(run: Run, code: str) -> timedelta:
    """Return the difference between the times of a moved and an unmoved process."""
    moved, unmoved = (datetime.fromisoformat(run(shift, code).strip()) for shift in (DAYS, timedelta(0)))
    return moved - unmoved


@pytest.mark.parametrize(
    "code",
    [
        NOW,
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {NOW!r}], env={{}}, check=True)",
        "import subprocess; subprocess.run(['date', '--utc', '--iso-8601=seconds'], env={}, check=True)",
    ],
    ids=["a process", "a child without environment", "a program in C"],
)
def test_a_process_and_its_children_live_on_another_day(run: Run, code: str) -> None:
    assert abs(difference(run, code) - DAYS) < SLACK


def test_monotonic_clocks_and_the_times_of_files_stay(run: Run) -> None:
    monotonic = "import time; from datetime import UTC, datetime; print(datetime.fromtimestamp(time.monotonic(), UTC))"
    written = (
        "import tempfile, os; from datetime import UTC, datetime\n"
        "with tempfile.TemporaryFile() as file: print(datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC))"
    )
    assert abs(difference(run, monotonic)) < SLACK
    assert abs(difference(run, written)) < SLACK


def test_what_waits_for_some_time_waits_no_longer(run: Run) -> None:
    assert run(DAYS, WAITS) == "over\n"


def test_a_program_in_go_lives_on_that_day_too(
    shim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    unmoved = datetime.fromisoformat(run(timedelta(0), NOW).strip())
    monkeypatch.setenv("LD_PRELOAD", str(shim))
    monkeypatch.setenv("CLOCK_SHIFT_S", str(int(DAYS.total_seconds())))
    with influxd.running(fetched("influxdb"), tmp_path) as server:
        assert abs(time_of(server.url) - unmoved - DAYS) < SLACK


async def test_every_server_that_tests_start_has_the_day_of_the_tests(postgres_server: str, influxdb_url: str) -> None:
    connection: asyncpg.Connection = await asyncpg.connect(postgres_server)
    times = {"PostgreSQL": await connection.fetchval("SELECT now()"), "InfluxDB": time_of(influxdb_url)}
    await connection.close()
    now = datetime.now(UTC)
    assert [name for name, time in times.items() if abs(time - now) > SLACK] == []


def test_what_is_no_day_is_said(tmp_path: Path) -> None:
    with pytest.raises(CannotMoveError, match="2028-02-30 is no day; write one as"):
        moved_to("2028-02-30", tmp_path)


def test_without_a_compiler_a_sentence_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.clock_shim", "+40"]
    done = subprocess.run(
        command, env={"PATH": str(tmp_path)}, capture_output=True, encoding="utf-8", check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Only Linux with a C compiler can move the clock; install one")


def time_of(url: str) -> datetime:
    """Return the time of an HTTP server."""
    with build_opener(ProxyHandler({})).open(f"{url}/ping") as answer:
        return parsedate_to_datetime(answer.headers["Date"])
