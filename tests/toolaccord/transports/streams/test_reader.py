import asyncio
import os
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest

from toolaccord.transports.stdio.lines import Line, LineDecoder, OversizedLine
from toolaccord.transports.streams.reader import Reader


class Consumer:
    """Consumes up to *most* lines a turn, and is then full until it is cleared."""

    def __init__(self, most: int = 1_000_000) -> None:
        self.lines: list[bytes] = []
        self.is_full = False
        self._most = most
        self.filled = asyncio.Event()
        self.long_lines = 0
        self._cleared = asyncio.Event()

    def consume(self, lines: Sequence[Line]) -> int:
        assert not self.is_full
        consumed = lines[: self._most]
        self.lines += [line for line in consumed if not isinstance(line, OversizedLine)]
        self.long_lines += sum(isinstance(line, OversizedLine) for line in consumed)
        if len(consumed) == self._most:
            self.is_full = True
            self.filled.set()
        return len(consumed)

    async def wait_for_room(self) -> None:
        await self._cleared.wait()
        self._cleared.clear()

    def clear(self) -> None:
        self.is_full = False
        self.filled.clear()
        self._cleared.set()


async def read(reading: int) -> list[bytes]:
    """Return all lines of a descriptor."""
    consumer = Consumer()
    await Reader(reading, LineDecoder(1_000_000), consumer).read()
    return consumer.lines


async def test_lines_are_read_without_newlines_and_the_last_may_have_none(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.write(writing, b"one\n\ntwo\r\nthree")
    os.close(writing)
    assert await read(reading) == [b"one", b"", b"two\r", b"three"]


async def test_a_line_may_arrive_in_pieces_of_any_size(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    consumer = Consumer()
    reading_task = asyncio.create_task(Reader(reading, LineDecoder(1_000), consumer).read())
    for piece in (b"o", b"n", b"e\nt", b"wo"):
        os.write(writing, piece)
        await asyncio.sleep(0.001)
    assert consumer.lines == [b"one"]
    os.close(writing)
    await reading_task
    assert consumer.lines == [b"one", b"two"]


@pytest.mark.parametrize("max_bytes", [5, 2_000_000])
async def test_a_line_beyond_the_limit_is_rejected_at_once_and_not_kept(pipe: tuple[int, int], max_bytes: int) -> None:
    reading, writing = pipe
    consumer = Consumer()
    reader = Reader(reading, LineDecoder(max_bytes), consumer)
    reading_task = asyncio.create_task(reader.read())
    os.write(writing, b"a" * 5 + b"\n")
    tracemalloc.start()
    for _ in range(2 * max_bytes // 50_000 + 1):
        os.write(writing, b"b" * 50_000)
        await asyncio.sleep(0.001)
    assert consumer.long_lines == 1, "before its end"
    assert tracemalloc.get_traced_memory()[0] < 100_000
    tracemalloc.stop()
    os.write(writing, b"b\nc\n")
    os.close(writing)
    await reading_task
    assert consumer.lines == [b"aaaaa", b"c"]
    assert consumer.long_lines == 1


async def test_each_line_of_a_chunk_may_be_too_long(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    consumer = Consumer()
    os.write(writing, b"123456\n12345\n123456\n1\n123456")
    os.close(writing)
    await Reader(reading, LineDecoder(5), consumer).read()
    assert consumer.lines == [b"12345", b"1"]
    assert consumer.long_lines == 3


async def test_reading_stops_while_the_consumer_is_full(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    consumer = Consumer(most=2)
    reading_task = asyncio.create_task(Reader(reading, LineDecoder(1_000), consumer).read())
    os.write(writing, b"1\n2\n3\n4\n5\n")
    for seen in (2, 4):
        await consumer.filled.wait()
        os.write(writing, b"more\n")
        await asyncio.sleep(0.001)
        assert len(consumer.lines) == seen
        consumer.clear()
    await consumer.filled.wait()
    consumer.clear()
    os.close(writing)
    await reading_task
    assert consumer.lines == [b"1", b"2", b"3", b"4", b"5", b"more", b"more"]


async def test_an_exception_of_the_consumer_ends_the_reading(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    consumer = Consumer(most=1)
    consumer.is_full = True
    os.write(writing, b"one\n")
    reading_task = asyncio.create_task(Reader(reading, LineDecoder(1_000), consumer).read())
    with pytest.raises(AssertionError):
        await reading_task


async def test_lines_of_a_regular_file_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"one\ntwo\n")
    with path.open("rb") as file:
        assert await read(file.fileno()) == [b"one", b"two"]


async def test_a_reader_continues_when_another_one_of_the_same_pipe_was_faster(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.set_blocking(reading, False)  # for both: the mode belongs to the pipe, not to the descriptor
    other = os.dup(reading)
    consumer = Consumer()
    reading_task = [
        asyncio.create_task(Reader(descriptor, LineDecoder(1_000), consumer).read()) for descriptor in (reading, other)
    ]
    await asyncio.sleep(0)
    for line in (b"one\n", b"two\n", b"three\n"):
        os.write(writing, line)
        await asyncio.sleep(0.001)
    os.close(writing)
    await asyncio.gather(*reading_task)
    os.close(other)
    assert sorted(consumer.lines) == [b"one", b"three", b"two"]
