import asyncio
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from toolpact.transports.stdio.line_io import LineReader, LineWriter


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    for each in (reading, writing):
        try:
            os.close(each)
        except OSError:
            continue


class Room:
    """Takes so many lines a turn, and is full after each of them, until it is told that there is room."""

    def __init__(self, most: int = 1_000_000) -> None:
        self.lines: list[bytes] = []
        self.is_full = False
        self._most = most
        self.filled = asyncio.Event()
        self._cleared = asyncio.Event()

    def take(self, lines: Sequence[bytes]) -> int:
        assert not self.is_full
        taken = lines[: self._most]
        self.lines += taken
        if len(taken) == self._most:
            self.is_full = True
            self.filled.set()
        return len(taken)

    async def room(self) -> None:
        await self._cleared.wait()
        self._cleared.clear()

    def clear(self) -> None:
        self.is_full = False
        self.filled.clear()
        self._cleared.set()


async def read(reading: int) -> list[bytes]:
    """All lines of a descriptor."""
    room = Room()
    await LineReader(reading, room).read()
    return room.lines


async def test_lines_come_without_their_ends_and_the_last_may_have_none(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.write(writing, b"one\n\ntwo\r\nthree")
    os.close(writing)
    assert await read(reading) == [b"one", b"", b"two\r", b"three"]


async def test_a_line_may_arrive_in_pieces_of_any_size(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    room = Room()
    collecting = asyncio.create_task(LineReader(reading, room).read())
    for piece in (b"o", b"n", b"e\nt", b"wo"):
        os.write(writing, piece)
        await asyncio.sleep(0.001)
    assert room.lines == [b"one"]
    os.close(writing)
    await collecting
    assert room.lines == [b"one", b"two"]


async def test_what_there_is_no_room_for_waits_and_nothing_more_is_read(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    room = Room(most=2)
    collecting = asyncio.create_task(LineReader(reading, room).read())
    os.write(writing, b"1\n2\n3\n4\n5\n")
    for seen in (2, 4):
        await room.filled.wait()
        os.write(writing, b"more\n")
        await asyncio.sleep(0.001)
        assert len(room.lines) == seen
        room.clear()
    await room.filled.wait()
    room.clear()
    os.close(writing)
    await collecting
    assert room.lines == [b"1", b"2", b"3", b"4", b"5", b"more", b"more"]


async def test_what_goes_wrong_in_taking_a_line_ends_the_reading(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    room = Room(most=1)
    room.is_full = True
    os.write(writing, b"one\n")
    collecting = asyncio.create_task(LineReader(reading, room).read())
    with pytest.raises(AssertionError):
        await collecting


async def test_lines_of_a_regular_file_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"one\ntwo\n")
    with path.open("rb") as file:
        assert await read(file.fileno()) == [b"one", b"two"]


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

    collecting = asyncio.create_task(read(reading))
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
    room = Room()
    collecting = [asyncio.create_task(LineReader(descriptor, room).read()) for descriptor in (reading, other)]
    await asyncio.sleep(0)
    for line in (b"one\n", b"two\n", b"three\n"):
        os.write(writing, line)
        await asyncio.sleep(0.001)
    os.close(writing)
    await asyncio.gather(*collecting)
    os.close(other)
    assert sorted(room.lines) == [b"one", b"three", b"two"]
