"""The cause of a failed call is a sentence: source, address, reason and remedy."""

import asyncio
import importlib
import pkgutil
import re
import socket
import struct
from contextlib import aclosing
from functools import partial
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolaccord.sources
from tests.services.socket_server import SocketServer
from tests.toolaccord.sources.test_outages import GRPC, HTTP, INFLUXDB, REDIS, SECRET, ask
from toolaccord.errors import SourceError
from toolaccord.sources.addresses import describe_place
from toolaccord.sources.nats import NatsSource
from toolaccord.sources.postgresql import PostgresqlSource
from toolaccord.testing import capture_logs
from toolaccord.timing.clock import SystemClock

NATS = NatsSource(
    name="news", url="url", connection_timeout_s=20, timeout_s=20, max_outstanding=4, max_pending_bytes=1000
)
POSTGRESQL = PostgresqlSource(
    name="news", url="url", min_connections=1, max_connections=2, idle_timeout_s=60, connection_timeout_s=20
)
KINDS: dict[str, tuple[Any, str, Any]] = {
    "http": (HTTP, "http://{at}", lambda http: http.get_json(SECRET)),
    "influxdb": (INFLUXDB, "http://u:{password}@{at}", lambda bucket: bucket.query(SECRET)),
    "redis": (REDIS, "redis://u:{password}@{at}", lambda redis: redis.get(SECRET)),
    "nats": (NATS, "nats://u:{password}@{at}", lambda nats: nats.publish(SECRET, SECRET.encode())),
    "postgresql": (POSTGRESQL, "postgresql://u:{password}@{at}/db", lambda database: database.fetch(SECRET)),
}
"""Declaration, address, and a request, by kind."""
LISTED = {
    "CutOff": "before the deadline",
    "FilesError": "test_files.py",
    "GrpcError": "test_grpc.py",
    "GrpcTimeout": "test_grpc.py",
    "HttpBadResponse": "here",
    "HttpRateLimited": "test_http_limited.py",
    "HttpTimeout": "test_http.py",
    "HttpUnavailable": "here",
    "InfluxdbError": "here",
    "NatsError": "here",
    "PostgresqlError": "here",
    "QueueMismatch": "test_nats_work_queue.py",
    "RedisError": "here",
    "ZmqError": "test_zmq_pub.py",
}
"""The classes of failures, and where they are provoked."""
NO_SENTENCE = re.compile(r"[A-Z][a-z]+(Error|Exception)|<[a-z]|Traceback|b'|\[Errno")
ANSWERS = {
    "garbage": b"\x00nonsense\r\n\r\n",
    "empty": b"",
    "503": b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n",
    "401": b"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n",
    "too large": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n",
    "no json": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n}",
}


async def find_cause(kind: str, at: str) -> str:
    """Return the cause in the line of a call that fails, after checking its form."""
    declared, url, request = KINDS[kind]
    settings = {"token": "", "org": "", "bucket": "b", "language": "influxql"}
    source = declared.open({"url": url.format(at=at, password=SECRET), **settings}, SystemClock())
    with capture_logs() as records:
        await ask(partial(request, source))
    await source.close()
    (cause,) = [vars(record)["fields"]["cause"] for record in records if record.getMessage() == "call"]
    assert cause.startswith(f"news at {at}: ")
    assert "; " in cause  # the remedy
    assert SECRET not in cause
    assert not NO_SENTENCE.search(cause), cause
    return str(cause)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.mark.parametrize("kind", KINDS)
async def test_a_refused_connection_is_a_sentence(kind: str) -> None:
    assert "Connection refused; start it" in await find_cause(kind, f"127.0.0.1:{free_port()}")


@pytest.mark.parametrize("kind", KINDS)
async def test_a_host_that_is_not_resolved_is_a_sentence(kind: str) -> None:
    assert "its host name was not resolved; correct the host" in await find_cause(kind, "nowhere.invalid:4000")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answer", ["garbage", "empty", "reset"])
async def test_an_answer_that_breaks_off_or_the_protocol_is_a_sentence(kind: str, answer: str) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if kind != "nats":  # whose server begins
            await reader.read(1)
        if answer == "reset":
            connection = writer.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            writer.write(ANSWERS[answer])
            await writer.drain()

    listener = socket.create_server(("127.0.0.1", 0))
    async with aclosing(SocketServer(listener, connected)):
        await find_cause(kind, f"127.0.0.1:{listener.getsockname()[1]}")


@pytest.mark.parametrize("kind", ["http", "influxdb"])
@pytest.mark.parametrize(
    "answer, reason",
    [
        ("503", "it answered with the status 503; look at its log"),
        ("401", "it answered with the status 401; correct the credentials"),
        ("too large", "its answer exceeds the limit"),
        ("no json", "its answer is invalid; check that"),
    ],
)
async def test_each_bad_answer_over_http_has_its_own_sentence(kind: str, answer: str, reason: str) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(ANSWERS[answer])

    listener = socket.create_server(("127.0.0.1", 0))
    async with aclosing(SocketServer(listener, connected)):
        assert reason in await find_cause(kind, f"127.0.0.1:{listener.getsockname()[1]}")


async def test_a_grpc_service_that_refuses_connections_is_a_sentence() -> None:
    at = f"127.0.0.1:{free_port()}"
    source = GRPC.open({"url": at}, SystemClock())
    with pytest.raises(SourceError) as raised:
        await source.check()
    await source.close()
    assert raised.value.cause.startswith(f"news at {at}: the connection could not be made, or broke; ")


def test_every_class_of_failures_is_listed_with_the_test_that_provokes_it() -> None:
    for module in pkgutil.walk_packages(toolaccord.sources.__path__, "toolaccord.sources."):
        importlib.import_module(module.name)

    def subclasses(kind: type[SourceError]) -> set[type[SourceError]]:
        return {kind}.union(*map(subclasses, kind.__subclasses__()))

    found = {each.__name__ for each in subclasses(SourceError) if each.__module__.startswith("toolaccord.sources.")}
    assert found == set(LISTED)


@given(user=st.text(min_size=8), password=st.text(min_size=8), query=st.text(min_size=8), is_encoded=st.booleans())
def test_no_user_info_and_no_query_of_a_url_is_in_its_place(
    user: str, password: str, query: str, *, is_encoded: bool
) -> None:
    parts = [quote(each, safe="") if is_encoded else each for each in (user, password, query)]
    place = describe_place("http://{}:{}@example.org:80/a?token={}".format(*parts))
    assert place in ("example.org:80", "")
