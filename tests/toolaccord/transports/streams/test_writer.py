import asyncio
import os
from pathlib import Path

from tests.toolaccord.transports.streams.test_reader import read
from toolaccord.transports.stdio.lines import encode_lines
from toolaccord.transports.streams.writer import Writer


async def test_a_closed_writer_ignores_lines_and_writes_the_queued_ones(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    writer = Writer(writing, encode_lines)
    writer.write(b"one")
    writer.close()
    writer.write(b"two")
    await writer.drain()
    assert os.read(reading, 100) == b"one\n"


async def test_lines_for_a_slow_reader_are_queued(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    writer = Writer(writing, encode_lines)
    for number in range(100):
        writer.write(bytes([48 + number % 10]) * 10_000)
    assert writer.backlog > 50

    reading_task = asyncio.create_task(read(reading))
    await writer.drain()
    assert writer.backlog == 0
    os.close(writing)
    assert await reading_task == [bytes([48 + number % 10]) * 10_000 for number in range(100)]


async def test_a_closed_reader_marks_the_writer_as_broken(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    writer = Writer(writing, encode_lines)
    writer.write(b"x" * 1_000_000)
    os.close(reading)
    await writer.drain()
    assert writer.is_broken


async def test_lines_are_written_to_a_regular_file_too(tmp_path: Path) -> None:
    path = tmp_path / "output"
    with path.open("wb") as file:
        writer = Writer(file.fileno(), encode_lines)
        writer.write(b"x" * 100_000)
        await writer.drain()
    assert path.read_bytes() == b"x" * 100_000 + b"\n"
