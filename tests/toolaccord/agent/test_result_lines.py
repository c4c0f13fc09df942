"""Results on a real pipe, whose reader may be slow or gone."""

import asyncio
import os
import sys
from collections.abc import Iterator
from typing import IO

import pytest

from tests.toolaccord.scripted_connection import settle
from toolaccord.agent.result_lines import ResultLines
from toolaccord.server.startup import StartError
from toolaccord.testing import ManualClock


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[IO[bytes]]:
    """The end of standard output that somebody reads."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as reader, os.fdopen(writing, "w") as output:
        monkeypatch.setattr(sys, "__stdout__", output)
        yield reader


async def test_a_slow_reader_delays_the_writers_alone_and_receives_whole_lines(reader: IO[bytes]) -> None:
    clock = ManualClock()
    lines = ResultLines(clock)
    results = [name * 200_000 for name in (b"a", b"b")]
    writing = asyncio.gather(*map(lines.write, results))
    await settle()
    assert not writing.done(), "the pipe is full"
    received = b""
    while not writing.done():
        received += os.read(reader.fileno(), 1 << 20)
        clock.advance(1)
        await settle()
    received += os.read(reader.fileno(), 1 << 20)
    assert received.split(b"\n") == [*results, b""]


async def test_a_reader_that_is_gone_is_an_error(reader: IO[bytes]) -> None:
    reader.close()
    with pytest.raises(StartError, match=r"^standard output does not take results: Broken pipe$"):
        await ResultLines(ManualClock()).write(b"{}")
