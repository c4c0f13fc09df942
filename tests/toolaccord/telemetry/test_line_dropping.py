import fcntl
import json
import os
import re
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolaccord.telemetry.line_dropping import LineDroppingWriter
from toolaccord.telemetry.nonblocking_write import NonBlockingWriter


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
def no_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines do not wait for room."""
    monkeypatch.setattr("toolaccord.telemetry.line_dropping._WRITE_TIMEOUT_S", 0)


def read(reading: int, most: int) -> bytes:
    try:
        return os.read(reading, most)
    except BlockingIOError:
        return b""


def reported_drops(line: bytes) -> int | None:
    """Return the number of dropped lines that *line* reports; None if it is another line."""
    found = re.search(r"too slow: (\d+)$", json.loads(line)["message"]) if b"too slow" in line else None
    return int(found[1]) if found else None


STEPS = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 6000)), max_size=12)
"""Numbers of lines to write, and of bytes to read afterwards."""


@pytest.mark.usefixtures("no_timeout")
@given(STEPS, st.integers(1, 300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_slow_reader_gets_whole_lines_in_order_and_the_number_of_dropped_ones(
    pipe: tuple[int, int], steps: list[tuple[int, int]], length: int
) -> None:
    reading, writing = pipe
    writer, number, received = LineDroppingWriter(NonBlockingWriter(writing), "the reader was too slow"), 0, b""
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
        missing = reported_drops(line)
        assert missing is not None or json.loads(line)["number"] == expected
        expected += missing or 1
    assert expected == number


def test_only_the_first_write_waits_for_a_reader_that_does_not_read(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[int] = []

    def full(_writer: NonBlockingWriter, _data: bytes, timeout_ms: int) -> int:
        waits.append(timeout_ms)
        return 0

    monkeypatch.setattr(NonBlockingWriter, "write", full)
    writer = LineDroppingWriter(NonBlockingWriter(pipe[1]), "the reader was too slow")
    writer.write(b"one\n")
    writer.write(b"two\n")
    first, second = waits
    assert first > 0
    assert second == 0


def test_lines_for_a_closed_reader_are_dropped_silently() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    writer = LineDroppingWriter(NonBlockingWriter(writing), "the reader was too slow")
    writer.write(b"one\n")
    assert writer._partial_line == b""
    os.close(writing)
