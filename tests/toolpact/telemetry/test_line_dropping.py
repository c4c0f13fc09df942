import fcntl
import json
import os
import re
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolpact.telemetry.line_dropping import WholeLines
from toolpact.telemetry.nonblocking_write import Outlet


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe that holds 4096 bytes."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    yield reading, writing
    os.close(reading)
    os.close(writing)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No line waits for room."""
    monkeypatch.setattr("toolpact.telemetry.line_dropping._PATIENCE_S", 0)


def read(reading: int, most: int) -> bytes:
    try:
        return os.read(reading, most)
    except BlockingIOError:
        return b""


def told(line: bytes) -> int | None:
    """How many lines *line* says were left out; None where it says nothing of the kind."""
    found = re.search(r"left out: (\d+)$", json.loads(line)["message"]) if b"left out" in line else None
    return int(found[1]) if found else None


STEPS = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 6000)), max_size=12)
"""Lines that are written, and bytes that are read then."""


@pytest.mark.usefixtures("hurried")
@given(STEPS, st.integers(1, 300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_slow_reader_reads_whole_lines_in_order_and_how_many_are_missing(
    pipe: tuple[int, int], steps: list[tuple[int, int]], length: int
) -> None:
    reading, writing = pipe
    writer, number, received = WholeLines(writing), 0, b""
    for count, most in steps:
        lines = [json.dumps({"number": number + each, "text": "x" * length}).encode() + b"\n" for each in range(count)]
        number += count
        writer.write(b"".join(lines))
        received += read(reading, most)
    while True:
        writer.write(b"")
        if not (more := read(reading, 1 << 16)):
            break
        received += more
    expected = 0
    for line in received.splitlines():
        missing = told(line)
        assert missing is not None or json.loads(line)["number"] == expected
        expected += missing or 1
    assert expected == number


def test_a_reader_who_does_not_read_is_waited_for_once(pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[int] = []

    def full(_outlet: Outlet, _data: bytes, patience_ms: int) -> int:
        waits.append(patience_ms)
        return 0

    monkeypatch.setattr(Outlet, "write", full)
    writer = WholeLines(pipe[1])
    writer.write(b"one\n")
    writer.write(b"two\n")
    first, second = waits
    assert first > 0
    assert second == 0


def test_nobody_is_told_of_lines_whose_reader_is_gone() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    writer = WholeLines(writing)
    writer.write(b"one\n")
    assert writer.begun == b""
    os.close(writing)
