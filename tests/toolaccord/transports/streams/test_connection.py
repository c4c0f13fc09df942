import asyncio
import os
from typing import Any

from tests.toolaccord.process import PATIENCE_S
from toolaccord.transports.stdio.lines import encode_lines
from toolaccord.transports.streams.connection import Connection
from toolaccord.transports.streams.in_flight import InFlight, Message
from toolaccord.transports.streams.writer import Writer

MEGABYTE = 1 << 20


class Echo(Connection[bytes]):
    """Answers each message with itself."""

    def _handle(self, message: bytes) -> None:
        self._writer.write(message)

    def abandon_calls(self) -> list[asyncio.Task[Any]]:
        return []


async def begin_to_wait(connection: Echo) -> asyncio.Task[None]:
    """Return a task that waits for room, and is not done yet."""
    waiting = asyncio.create_task(connection.wait_for_room())
    for _ in range(3):
        await asyncio.sleep(0)
    assert not waiting.done()
    return waiting


def read(reading: int, most: int) -> None:
    """Read *most* bytes."""
    while most:
        most -= len(os.read(reading, most))


async def test_no_more_is_consumed_while_four_megabytes_of_responses_are_unread(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    connection = Echo(Writer(writing, encode_lines), InFlight(None, frozenset()))
    assert connection.consume([b"a" * (MEGABYTE - 1)] * 10) == 5
    assert connection.is_full
    waiting = await begin_to_wait(connection)
    await asyncio.to_thread(read, reading, 5 * MEGABYTE)
    await asyncio.wait_for(waiting, PATIENCE_S)
    assert not connection.is_full


async def test_no_more_is_consumed_while_requests_of_sixteen_megabytes_are_in_flight(pipe: tuple[int, int]) -> None:
    in_flight = InFlight(None, frozenset())
    connection = Echo(Writer(pipe[1], encode_lines), in_flight)
    messages = [Message(b"a" * MEGABYTE) for _ in range(16)]
    for message in messages:
        in_flight.add(message)
    assert connection.consume([b"a", b"b"]) == 1
    waiting = await begin_to_wait(connection)
    in_flight.remove(messages[0], None)
    await asyncio.wait_for(waiting, PATIENCE_S)
    assert connection.consume([b"a", b"b"]) == 2


async def test_other_tasks_run_after_a_number_of_messages(pipe: tuple[int, int]) -> None:
    connection = Echo(Writer(pipe[1], encode_lines), InFlight(None, frozenset()))
    assert connection.consume([b"a"] * 1000) == 64
