import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from runtime.observability import JsonLines, Redactor
from runtime.standard_error import StandardError

FORCED = """
import asyncio, logging, os
from runtime import observability
from runtime.standard_error import last_words
observability.configure("INFO", observability.Redactor([]))
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
    monkeypatch.setattr("runtime.standard_error.STANDARD_ERROR", writing)
    handler = StandardError(JsonLines(Redactor([])))
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


async def test_the_lines_of_one_turn_are_written_together_when_it_is_over(log: tuple[logging.Logger, int]) -> None:
    logger, reading = log
    logger.info("one")
    logger.info("two")
    assert said(reading) == b""
    await asyncio.sleep(0)
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
def test_what_the_last_turn_told_is_written_however_the_process_ends(end: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORCED.format(end=end)], capture_output=True, encoding="utf-8", check=False
    )
    assert '"told last"' in done.stderr
