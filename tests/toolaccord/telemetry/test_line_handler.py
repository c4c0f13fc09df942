import asyncio
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from toolaccord.telemetry.json_logs import JsonFormatter
from toolaccord.telemetry.line_dropping import LineDroppingWriter
from toolaccord.telemetry.line_handler import LineHandler
from toolaccord.telemetry.nonblocking_write import NonBlockingWriter
from toolaccord.telemetry.redaction import Redactor

FORCED = """
import asyncio, logging, os
from toolaccord.telemetry import json_logs, redaction
from toolaccord.telemetry.line_handler import write_last_line
json_logs.configure("INFO", redaction.Redactor([]))
async def turn():
    logging.getLogger("shelf").info("logged last")
    {end}
asyncio.run(turn())
"""


@pytest.fixture
def log() -> Iterator[tuple[logging.Logger, int]]:
    """Give a logger that writes by a LineHandler, and a descriptor to read its lines."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    handler = LineHandler(LineDroppingWriter(NonBlockingWriter(writing), "a test"))
    handler.setFormatter(JsonFormatter(Redactor([])))
    logger = logging.getLogger("tests.line_handler")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield logger, reading
    logger.removeHandler(handler)
    os.close(reading)
    os.close(writing)


def read(reading: int) -> bytes:
    try:
        return os.read(reading, 1 << 16)
    except BlockingIOError:
        return b""


async def test_lines_logged_together_are_written_together_soon(log: tuple[logging.Logger, int]) -> None:
    logger, reading = log
    written = asyncio.Event()
    asyncio.get_running_loop().add_reader(reading, written.set)
    logger.info("one")
    logger.info("two")
    await asyncio.sleep(0)
    assert read(reading) == b""
    await asyncio.wait_for(written.wait(), 60)
    asyncio.get_running_loop().remove_reader(reading)
    assert read(reading).count(b"\n") == 2


async def test_a_warning_is_written_at_once_after_earlier_lines(log: tuple[logging.Logger, int]) -> None:
    logger, reading = log
    logger.info("first")
    logger.warning("second")
    first, second = read(reading).splitlines()
    assert b'"first"' in first
    assert b'"second"' in second


def test_a_line_is_written_at_once_outside_an_event_loop(log: tuple[logging.Logger, int]) -> None:
    logger, reading = log
    logger.info("now")
    assert b'"now"' in read(reading)


@pytest.mark.parametrize(
    "end", ["raise SystemExit(0)", "asyncio.get_running_loop().stop()", "write_last_line('by force'); os._exit(0)"]
)
def test_the_last_line_is_written_however_the_process_ends(end: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORCED.format(end=end)], capture_output=True, encoding="utf-8", check=False
    )
    assert '"logged last"' in done.stderr


async def test_a_line_logged_during_a_write_comes_after_it(
    log: tuple[logging.Logger, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    logger, reading = log
    write = NonBlockingWriter.write

    def interrupted(writer: NonBlockingWriter, data: bytes | memoryview, timeout_ms: int = 0) -> int:
        """Write half and warn, as the garbage collector may during a write."""
        monkeypatch.setattr(NonBlockingWriter, "write", write)
        logger.warning("between")
        return write(writer, data[: len(data) // 2], timeout_ms)

    monkeypatch.setattr(NonBlockingWriter, "write", interrupted)
    logger.info("first")
    logger.warning("second")
    assert [json.loads(line)["message"] for line in read(reading).splitlines()] == ["first", "second", "between"]


FORKED = """
import asyncio, logging, os
from toolaccord.telemetry import json_logs, redaction
json_logs.configure("INFO", redaction.Redactor([]))
async def turn():
    logging.getLogger("shelf").info("of the parent")
    if child := os.fork():
        os.waitpid(child, 0)
    else:
        logging.getLogger("shelf").warning("of the child")
        os._exit(0)
asyncio.run(turn())
"""


def test_a_forked_child_does_not_repeat_the_lines_of_its_parent() -> None:
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, encoding="utf-8", check=True)
    assert [json.loads(line)["message"] for line in done.stderr.splitlines()] == ["of the child", "of the parent"]


THREADS = """
import asyncio, logging, threading
from toolaccord.telemetry import json_logs, redaction
json_logs.configure("INFO", redaction.Redactor([]))
logger = logging.getLogger("shelf")
def log(name, level):
    for number in range(500):
        logger.log(level, "%s %d", name, number)
async def log_events(name):
    for number in range(500):
        json_logs.log_event(logger, f"{name} {number}", {})
        if number % 7 == 0:
            await asyncio.sleep(0)
each = [threading.Thread(target=log, args=("info", 20)), threading.Thread(target=log, args=("warning", 30))]
each += [threading.Thread(target=lambda name=name: asyncio.run(log_events(name))) for name in ("one loop", "another")]
[thread.start() for thread in each], [thread.join() for thread in each]
"""


def test_concurrent_threads_and_loops_lose_no_line_and_keep_their_order() -> None:
    done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, encoding="utf-8", check=True)
    messages = [json.loads(line)["message"].rpartition(" ") for line in done.stderr.splitlines()]
    for name in ("info", "warning", "one loop", "another"):
        assert [int(number) for who, _, number in messages if who == name] == list(range(500))
