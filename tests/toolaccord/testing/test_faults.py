"""Faults of a relay, as a client of a real source meets them."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from tests.services.valkey import Valkey
from tests.toolaccord.process import PATIENCE_S
from toolaccord.testing import ManualClock
from toolaccord.testing.faults import Relay

PING = b"PING\r\n"
PONG = b"+PONG\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    valkey = Valkey(tmp_path_factory.mktemp("valkey"))
    with valkey.running():
        yield valkey


@pytest_asyncio.fixture
async def relay(server: Valkey) -> AsyncIterator[Relay]:
    async with asyncio.timeout(PATIENCE_S), Relay(server.url, ManualClock()).running() as relay:
        yield relay


class Client:
    """A client of Redis through a relay."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self._writer = reader, writer

    @classmethod
    async def of(cls, relay: Relay) -> "Client":
        return cls(*await asyncio.open_connection("127.0.0.1", relay.port))

    async def ping(self) -> bytes:
        """Return what comes for a PING: as many bytes as PONG has."""
        self._writer.write(PING)
        return await self.reader.readexactly(len(PONG))

    def close(self) -> None:
        self._writer.close()


@pytest_asyncio.fixture
async def client(relay: Relay) -> AsyncIterator[Client]:
    client = await Client.of(relay)
    assert await client.ping() == PONG
    yield client
    client.close()


async def until_delayed(relay: Relay, client: Client) -> asyncio.Task[bytes]:
    """Send a PING, and return as soon as its answer is late."""
    relay.is_delaying.clear()
    waiting = asyncio.create_task(client.ping())
    await relay.is_delaying.wait()
    await asyncio.sleep(0)
    return waiting


async def test_answers_are_late_by_the_delay(relay: Relay, client: Client) -> None:
    relay.delay_s = 2
    waiting = await until_delayed(relay, client)
    clock = relay._clock
    assert isinstance(clock, ManualClock)
    clock.advance(1.9)
    assert not waiting.done()
    clock.advance(0.1)
    assert await waiting == PONG
    relay.heal()
    assert await client.ping() == PONG


async def test_a_throttled_answer_takes_the_time_of_its_bytes(relay: Relay, client: Client) -> None:
    relay.bytes_per_s = len(PONG) / 10
    waiting = await until_delayed(relay, client)
    clock = relay._clock
    assert isinstance(clock, ManualClock)
    clock.advance(9.9)
    assert not waiting.done()
    clock.advance(0.2)
    assert await waiting == PONG


async def test_dropped_answers_never_arrive_and_later_ones_do(relay: Relay, client: Client) -> None:
    relay.drops = True
    relay.delay_s = 1
    lost = await until_delayed(relay, client)
    clock = relay._clock
    assert isinstance(clock, ManualClock)
    clock.advance(1)
    for _ in range(5):
        await asyncio.sleep(0)
    relay.heal()
    assert not lost.done()
    lost.cancel()
    await asyncio.wait({lost})
    assert await client.ping() == PONG


async def test_a_frozen_relay_passes_on_later_what_it_held_back(relay: Relay, client: Client) -> None:
    relay.freeze()
    waiting = asyncio.create_task(client.ping())
    other = await Client.of(relay)
    as_well = asyncio.create_task(other.ping())
    done, _ = await asyncio.wait({waiting, as_well}, timeout=0)
    assert not done
    relay.thaw()
    assert [await waiting, await as_well] == [PONG, PONG]
    other.close()


async def test_the_first_bytes_of_corrupted_answers_are_others(relay: Relay, client: Client) -> None:
    relay.corrupts = True
    answer = await client.ping()
    assert bytes(each ^ 0xFF for each in answer) == PONG
    relay.heal()
    assert await client.ping() == PONG


async def test_a_reset_and_an_end_differ_for_the_client(relay: Relay, client: Client) -> None:
    relay.close()
    assert await client.reader.read() == b""
    other = await Client.of(relay)
    assert await other.ping() == PONG
    relay.reset()
    with pytest.raises(ConnectionResetError):
        await other.reader.read()
    other.close()
    assert relay.connections == 2


async def test_a_relay_refuses_connections_until_it_accepts_them_again(relay: Relay, client: Client) -> None:
    await relay.refuse()
    with pytest.raises(ConnectionResetError):
        await client.ping()
    with pytest.raises(ConnectionRefusedError):
        await Client.of(relay)
    relay.accept()
    again = await Client.of(relay)
    assert await again.ping() == PONG
    again.close()


@pytest.mark.parametrize(
    "source,url",
    [
        (6379, "127.0.0.1:{port}"),
        ("localhost:50051", "127.0.0.1:{port}"),
        ("redis://joe:a%40b@host.example:6379/3?x=1", "redis://joe:a%40b@127.0.0.1:{port}/3?x=1"),
        ("unix:///run/redis.sock?db=2", "redis://127.0.0.1:{port}?db=2"),
        ("postgresql://joe@/books?host=%2Frun&port=5433&a=b", "postgresql://joe@127.0.0.1:{port}/books?a=b"),
        ("http://127.0.0.1:80/base", "http://127.0.0.1:{port}/base"),
    ],
)
async def test_the_url_of_a_relay_is_that_of_the_source_at_its_port(source: int | str, url: str) -> None:
    async with Relay(source).running() as relay:
        assert relay.url == url.format(port=relay.port)


@pytest.mark.parametrize("is_url", [False, True])
def test_switches_of_a_relay_in_a_process_are_lines_of_its_input(server: Valkey, *, is_url: bool) -> None:
    source = server.url if is_url else str(server.port)
    command = [sys.executable, "-m", "toolaccord.testing.faults", source]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, encoding="ascii") as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        url = process.stdout.readline()
        assert url.startswith("redis://" if is_url else "127.0.0.1:")
        port = urlsplit(url if is_url else f"//{url}").port
        with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as client:
            for switches, answer in (("heal", PONG), ("corrupt", bytes(each ^ 0xFF for each in PONG))):
                process.stdin.write(f"{switches}\nnone\n")
                process.stdin.flush()
                assert "there is no switch none" in process.stderr.readline()
                client.sendall(PING)
                assert client.recv(len(PONG), socket.MSG_WAITALL) == answer
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0
