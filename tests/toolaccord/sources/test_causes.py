"""The cause of a failed call is a sentence: source, address, reason and remedy."""

import asyncio
import importlib
import itertools
import json
import pkgutil
import re
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import asyncpg
import pytest
import redis.exceptions
from hypothesis import given
from hypothesis import strategies as st
from nats import errors as nats_errors

import toolaccord.sources
from tests.services import nats
from tests.services.certificate import write_certificate
from tests.services.valkey import Valkey
from tests.toolaccord.sources.test_outages import GRPC, HTTP, INFLUXDB, REDIS, SECRET, ask
from toolaccord.errors import SourceError
from toolaccord.sources.addresses import describe_place
from toolaccord.sources.nats import NatsSource, jetstream
from toolaccord.sources.postgresql import PostgresqlSource, session
from toolaccord.sources.redis import connections
from toolaccord.testing import capture_logs
from toolaccord.testing.socket_server import ConnectionHandler, SocketServer
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
TLS = {
    "http": "https://{at}",
    "influxdb": "https://{at}",
    "redis": "rediss://{at}",
    "nats": "tls://u:{password}@{at}",
    "postgresql": "postgresql://u:{password}@{at}/db?sslmode=verify-full&sslrootcert={other}",
}
"""Addresses with TLS; `other` is the certificate of another authority."""
LISTED = {
    "CutOff": "before the deadline",
    "FilesError": "test_files.py",
    "GrpcError": "test_grpc.py",
    "GrpcTimeout": "test_grpc.py",
    "HttpBadRequest": "test_http_requests.py",
    "HttpBadResponse": "here",
    "HttpRateLimited": "test_http_limited.py",
    "HttpTimeout": "test_http.py",
    "HttpUnavailable": "here",
    "InfluxdbError": "here",
    "McpRejected": "test_mcp.py",
    "McpTimeout": "test_mcp.py",
    "McpUnavailable": "test_mcp.py",
    "NatsError": "here",
    "PostgresqlError": "here",
    "QueueMismatch": "test_nats_work_queue.py",
    "RedisError": "here",
    "ZmqError": "test_zmq_pub.py",
    "ZmqTimeout": "test_zmq_pub.py",
}
"""The classes of failures, and where they are provoked."""
FAULTS = [
    ConnectionResetError,
    EOFError,
    IndexError,
    OSError,
    RuntimeError,
    TimeoutError,
    UnicodeError,
    ValueError,
    socket.gaierror,
    ssl.SSLError,
]


OF_CLUSTERS = (redis.exceptions.AskError, redis.exceptions.MovedError)


def _errors_of(module: Any, kind: type[Exception]) -> list[type[Exception]]:
    """Return the errors of *kind* that *module* has."""
    found = (each for each in vars(module).values() if isinstance(each, type) and issubclass(each, kind))
    return [each for each in found if each not in OF_CLUSTERS]


TRANSLATIONS = [
    (partial(connections._translate_errors, "no answer"), _errors_of(redis.exceptions, redis.exceptions.RedisError)),
    (partial(jetstream.translate_errors, "subject"), _errors_of(nats_errors, nats_errors.Error)),
    (session.translate_errors, [*_errors_of(asyncpg.exceptions, asyncpg.PostgresError), asyncpg.InterfaceError]),
]
"""Translations of a library's errors into ours, and those errors."""
LIBRARY_TEXT = "a text with <a value> of KeyError('x')"
NO_SENTENCE = re.compile(r"[A-Z][a-z]+(Error|Exception)|<[a-z]|Traceback|b'|\[Errno")
ANSWERS = {
    "garbage": b"\x00nonsense\r\n\r\n",
    "empty": b"",
    "503": b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n",
    "401": b"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n",
    "too large": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n",
    "no json": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n}",
}


async def find_cause(kind: str, at: str, url: str = "", request: Any = None) -> str:
    """Return the cause in the line of a call that fails, after checking its form.

    The source is at *at*; *url* and *request* default to those of its kind.
    """
    declared, default_url, default_request = KINDS[kind]
    url, request = url or default_url, request or default_request
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


@asynccontextmanager
async def serving(connected: ConnectionHandler) -> AsyncIterator[str]:
    """Give the address of a server that does *connected* with each connection."""
    listener = socket.create_server(("127.0.0.1", 0))
    async with aclosing(SocketServer(listener, connected)):
        yield f"127.0.0.1:{listener.getsockname()[1]}"


def before_tls(kind: str, *, offers_tls: bool) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]:
    """Return the beginning of a conversation with a server of *kind*, up to the TLS handshake."""

    async def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if kind == "nats":
            info = {"server_id": "x", "version": "2.11.0", "max_payload": 1000, "tls_required": offers_tls}
            writer.write(b"INFO %s\r\n" % json.dumps(info).encode())
        elif kind == "postgresql":
            await reader.readexactly(8)
            writer.write(b"S" if offers_tls else b"N")
        else:
            await reader.read(1)
        await writer.drain()

    return begin


@pytest.mark.parametrize("kind", TLS)
async def test_a_certificate_that_is_not_trusted_is_a_sentence(kind: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    _, context = write_certificate(tmp_path)
    other, _ = write_certificate(tmp_path / "other")

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if kind in ("nats", "postgresql"):
            await before_tls(kind, offers_tls=True)(reader, writer)
        with suppress(OSError):  # the client rejects the certificate
            transport = writer.transport
            loop = asyncio.get_running_loop()
            await loop.start_tls(transport, transport.get_protocol(), context, server_side=True)

    async with serving(connected) as at:
        cause = await find_cause(kind, at, TLS[kind].replace("{other}", str(other)))
    assert "its TLS certificate is not trusted (" in cause
    assert "use a certificate for this host that its authority signed" in cause


@pytest.mark.parametrize("kind", TLS)
async def test_a_server_without_tls_at_an_address_with_tls_is_a_sentence(kind: str, tmp_path: Path) -> None:
    other, _ = write_certificate(tmp_path)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await before_tls(kind, offers_tls=False)(reader, writer)
        writer.write(b"-ERR no TLS\r\n\r\n")
        await writer.drain()

    async with serving(connected) as at:
        assert "TLS" in await find_cause(kind, at, TLS[kind].replace("{other}", str(other)))


async def test_a_login_that_redis_rejects_is_a_sentence(tmp_path: Path) -> None:
    with Valkey(tmp_path).running() as server:
        assert "it rejected the login; correct" in await find_cause("redis", f"127.0.0.1:{server.port}")


async def test_a_redis_without_room_is_a_sentence(tmp_path: Path) -> None:
    with Valkey(tmp_path).running() as server, server.full():
        write = partial(find_cause, "redis", f"127.0.0.1:{server.port}", "redis://{at}")
        assert "its memory is full; raise maxmemory" in await write(lambda redis: redis.set(SECRET, "value"))


async def test_a_login_that_nats_rejects_is_a_sentence(tmp_path: Path) -> None:
    with nats.running(tmp_path, "--user", "other", "--pass", "other") as server:
        assert "it rejected the login; correct" in await find_cause("nats", urlsplit(server.url).netloc)


async def test_a_subject_without_a_stream_is_a_sentence(tmp_path: Path) -> None:
    with nats.running(tmp_path) as server:
        cause = await find_cause("nats", urlsplit(server.url).netloc, "nats://{at}")
    assert "no stream has the subject" in cause


@pytest.mark.parametrize(
    "user, database, sentence",
    [
        ("nobody", "postgres", "it rejected the login; correct"),
        ("limited", "postgres", "it has no connection left; raise"),
        ("app", "nowhere", "nowhere"),
    ],
)
async def test_a_connection_that_postgresql_rejects_is_a_sentence(
    postgres_url: str, user: str, database: str, sentence: str
) -> None:
    owner = POSTGRESQL.open({"url": postgres_url}, SystemClock())
    if user == "limited":
        await owner.fetch("CREATE ROLE limited LOGIN CONNECTION LIMIT 0")
    try:
        parts = urlsplit(postgres_url)
        url = parts._replace(netloc=f"{user}@", path=f"/{database}").geturl()
        assert sentence in await find_cause("postgresql", describe_place(url), url)
    finally:
        if user == "limited":
            await owner.fetch("DROP ROLE limited")
        await owner.close()


@pytest.mark.parametrize("answer", [None, b"\x15\x03\x03\x00\x02\x02\x46"], ids=["refuses", "speaks TLS"])
async def test_a_grpc_service_without_a_connection_is_a_sentence(answer: bytes | None) -> None:
    async def alert(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer or b"")
        await writer.drain()

    async with serving(alert) as tls:
        at = tls if answer else f"127.0.0.1:{free_port()}"
        source = GRPC.open({"url": at}, SystemClock())
        with pytest.raises(SourceError) as raised:
            await source.check()
        await source.close()
    broken = ("the connection could not be made, or broke; ", "Connection reset by peer; look at its log")
    reasons = broken if answer else ("Connection refused; start it",)
    assert raised.value.cause.startswith(tuple(f"news at {at}: {reason}" for reason in reasons))


def build_error(kind: type[Exception]) -> Exception:
    """Return an error of *kind*; a few take no text, or several."""
    for count in (1, 0, 4):
        with suppress(TypeError):
            return kind(*[LIBRARY_TEXT] * count)
    raise AssertionError(kind)


@pytest.mark.parametrize("translate, kinds", TRANSLATIONS, ids=["redis", "nats", "postgresql"])
def test_no_class_and_no_text_of_a_library_is_in_a_cause(
    translate: Callable[[], Any], kinds: Sequence[type[Exception]]
) -> None:
    for kind, fault in itertools.product([*kinds, *FAULTS], [None, *FAULTS]):
        error = build_error(kind)
        error.__cause__ = None if fault is None else fault(LIBRARY_TEXT)
        with suppress(*FAULTS), pytest.raises(SourceError) as raised, translate():
            raise error
        if type(error) in kinds:
            found = raised.value
            names = LIBRARY_TEXT if getattr(found, "sqlstate", None) else "none"  # PostgreSQL's text may name a table
            assert not NO_SENTENCE.search(found.cause.replace(names, "")), found.cause


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
