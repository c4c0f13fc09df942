import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.transports.frames import LineWriter, lines


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    for each in (reading, writing):
        try:
            os.close(each)
        except OSError:
            continue


async def test_lines_come_without_their_ends_and_the_last_may_have_none(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.write(writing, b"one\n\ntwo\r\nthree")
    os.close(writing)
    assert [line async for came in lines(reading) for line in came] == [b"one", b"", b"two\r", b"three"]


async def test_a_line_may_arrive_in_pieces_of_any_size(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    received: list[bytes] = []

    async def collect() -> None:
        async for came in lines(reading):
            received.extend(came)

    collecting = asyncio.create_task(collect())
    for piece in (b"o", b"n", b"e\nt", b"wo"):
        os.write(writing, piece)
        await asyncio.sleep(0.001)
    assert received == [b"one"]
    os.close(writing)
    await collecting
    assert received == [b"one", b"two"]


async def test_lines_of_a_regular_file_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"one\ntwo\n")
    with path.open("rb") as file:
        assert [line async for came in lines(file.fileno()) for line in came] == [b"one", b"two"]


async def test_after_the_end_no_line_is_taken_and_those_before_it_are_written(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    writer = LineWriter(writing)
    writer.write(b"one")
    writer.end()
    writer.write(b"two")
    await writer.written()
    assert os.read(reading, 100) == b"one\n"


async def test_a_slow_reader_makes_lines_wait_and_never_the_event_loop(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    writer = LineWriter(writing)
    for number in range(100):
        writer.write(bytes([48 + number % 10]) * 10_000)
    assert writer.backlog > 50

    async def collect() -> list[bytes]:
        return [line async for came in lines(reading) for line in came]

    collecting = asyncio.create_task(collect())
    await writer.written()
    assert writer.backlog == 0
    os.close(writing)
    assert await collecting == [bytes([48 + number % 10]) * 10_000 for number in range(100)]


async def test_a_reader_that_is_gone_breaks_the_writer_without_an_error(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    writer = LineWriter(writing)
    writer.write(b"x" * 1_000_000)
    os.close(reading)
    await writer.written()
    assert writer.broken


async def test_lines_are_written_to_a_regular_file_too(tmp_path: Path) -> None:
    path = tmp_path / "output"
    with path.open("wb") as file:
        writer = LineWriter(file.fileno())
        writer.write(b"x" * 100_000)
        await writer.written()
    assert path.read_bytes() == b"x" * 100_000 + b"\n"


async def test_who_shares_its_input_reads_on_when_another_was_faster(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.set_blocking(reading, False)  # for both: what is set is the pipe's, not the descriptor's
    other = os.dup(reading)
    received: list[bytes] = []

    async def collect(descriptor: int) -> None:
        async for came in lines(descriptor):
            received.extend(came)

    collecting = [asyncio.create_task(collect(descriptor)) for descriptor in (reading, other)]
    await asyncio.sleep(0)
    for line in (b"one\n", b"two\n", b"three\n"):
        os.write(writing, line)
        await asyncio.sleep(0.001)
    os.close(writing)
    await asyncio.gather(*collecting)
    os.close(other)
    assert sorted(received) == [b"one", b"three", b"two"]
