import asyncio
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from toolpact.telemetry.json_logs import JsonLines, Redactor
from toolpact.telemetry.nonblocking_write import Outlet
from toolpact.telemetry.stderr_handler import StandardError

FORCED = """
import asyncio, logging, os
from toolpact.telemetry import json_logs
from toolpact.telemetry.stderr_handler import last_words
json_logs.configure("INFO", json_logs.Redactor([]))
async def turn():
    logging.getLogger("shelf").info("told last")
    {end}
asyncio.run(turn())
"""


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[logging.Logger, int]]:
    """A logger that writes as to standard error, and where its lines can be read."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    monkeypatch.setattr("toolpact.telemetry.stderr_handler.STANDARD_ERROR", writing)
    handler = StandardError()
    handler.setFormatter(JsonLines(Redactor([])))
    logger = logging.getLogger("tests.standard_error")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield logger, reading
    logger.removeHandler(handler)
    os.close(reading)
    os.close(writing)


def said(reading: int) -> bytes:
    try:
        return os.read(reading, 1 << 16)
    except BlockingIOError:
        return b""


async def test_lines_that_are_told_together_are_written_together_soon(log: tuple[logging.Logger, int]) -> None:
    logger, reading = log
    written = asyncio.Event()
    asyncio.get_running_loop().add_reader(reading, written.set)
    logger.info("one")
    logger.info("two")
    await asyncio.sleep(0)
    assert said(reading) == b""
    await asyncio.wait_for(written.wait(), 60)
    asyncio.get_running_loop().remove_reader(reading)
    assert said(reading).count(b"\n") == 2


async def test_a_warning_is_written_at_once_after_what_was_told_before(log: tuple[logging.Logger, int]) -> None:
    logger, reading = log
    logger.info("first")
    logger.warning("second")
    first, second = said(reading).splitlines()
    assert b'"first"' in first
    assert b'"second"' in second


def test_outside_of_a_loop_a_line_is_written_at_once(log: tuple[logging.Logger, int]) -> None:
    logger, reading = log
    logger.info("now")
    assert b'"now"' in said(reading)


@pytest.mark.parametrize(
    "end", ["raise SystemExit(0)", "asyncio.get_running_loop().stop()", "last_words('by force'); os._exit(0)"]
)
def test_what_was_told_last_is_written_however_the_process_ends(end: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORCED.format(end=end)], capture_output=True, encoding="utf-8", check=False
    )
    assert '"told last"' in done.stderr


async def test_a_line_that_is_told_while_lines_are_written_comes_after_them(
    log: tuple[logging.Logger, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    logger, reading = log
    write = Outlet.write

    def interrupted(outlet: Outlet, data: bytes | memoryview, patience_ms: int = 0) -> int:
        """Write half, as a collector of garbage may come between two halves, and warn."""
        monkeypatch.setattr(Outlet, "write", write)
        logger.warning("between")
        return write(outlet, data[: len(data) // 2], patience_ms)

    monkeypatch.setattr(Outlet, "write", interrupted)
    logger.info("first")
    logger.warning("second")
    assert [json.loads(line)["message"] for line in said(reading).splitlines()] == ["first", "second", "between"]


FORKED = """
import asyncio, logging, os
from toolpact.telemetry import json_logs
json_logs.configure("INFO", json_logs.Redactor([]))
async def turn():
    logging.getLogger("shelf").info("of the parent")
    if child := os.fork():
        os.waitpid(child, 0)
    else:
        logging.getLogger("shelf").warning("of the child")
        os._exit(0)
asyncio.run(turn())
"""


def test_a_child_that_was_forked_does_not_repeat_the_lines_of_its_parent() -> None:
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, encoding="utf-8", check=True)
    assert [json.loads(line)["message"] for line in done.stderr.splitlines()] == ["of the child", "of the parent"]


THREADS = """
import asyncio, logging, threading
from toolpact.telemetry import json_logs
json_logs.configure("INFO", json_logs.Redactor([]))
logger = logging.getLogger("shelf")
def tell(name, level):
    for number in range(500):
        logger.log(level, "%s %d", name, number)
async def turns(name):
    for number in range(500):
        json_logs.event(logger, f"{name} {number}", {})
        if number % 7 == 0:
            await asyncio.sleep(0)
each = [threading.Thread(target=tell, args=("info", 20)), threading.Thread(target=tell, args=("warning", 30))]
each += [threading.Thread(target=lambda name=name: asyncio.run(turns(name))) for name in ("one loop", "another")]
[thread.start() for thread in each], [thread.join() for thread in each]
"""


def test_threads_and_loops_that_log_at_once_lose_no_line_and_each_keeps_its_order() -> None:
    done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, encoding="utf-8", check=True)
    said = [json.loads(line)["message"].rpartition(" ") for line in done.stderr.splitlines()]
    for name in ("info", "warning", "one loop", "another"):
        assert [int(number) for who, _, number in said if who == name] == list(range(500))
