"""Sources with TLS: own authorities, names of hosts, certificates of clients."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import grpc.aio
import pytest
from google.protobuf.wrappers_pb2 import StringValue

from tests.services import nats
from tests.services.certificate import Authority, Issued
from tests.services.tls_front import tls_front
from tests.services.valkey import Valkey
from tests.toolaccord.listener import listening
from tests.toolaccord.sources.test_causes import NATS, POSTGRESQL
from tests.toolaccord.sources.test_outages import GRPC, HTTP, INFLUXDB, REDIS
from toolaccord.errors import SourceError
from toolaccord.sources.addresses import find_address_error
from toolaccord.sources.mcp import McpSource
from toolaccord.testing import capture_logs
from toolaccord.testing.socket_server import SocketServer
from toolaccord.timing.clock import SystemClock

DECLARED: dict[str, Any] = {
    "http": HTTP, "influxdb": INFLUXDB, "redis": REDIS, "nats": NATS, "postgresql": POSTGRESQL, "grpc": GRPC,
}  # fmt: skip
ADDRESSES = {
    "http": "https://{at}?",
    "influxdb": "https://{at}?",
    "redis": "rediss://{at}?",
    "nats": "tls://{at}?",
    "postgresql": "postgresql://app@{at}/postgres?sslmode=verify-full&",
    "grpc": "grpcs://{at}?",
}
EMPTY = b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n"


def read(path: Path) -> bytes:
    return path.read_bytes()


class Servers:
    """Real servers with TLS, of each kind."""

    def __init__(self, folder: Path, postgres_url: str) -> None:
        self._folder = folder
        self._postgresql = urlsplit(postgres_url)

    @asynccontextmanager
    async def running(self, kind: str, issued: Issued, clients: Path | None = None) -> AsyncIterator[str]:
        """Give the `host:port` of a server, which demands a certificate of *clients* if given."""
        async with AsyncExitStack() as stack:
            if kind == "nats":
                yield await self._run_nats(stack, issued, clients)
                return
            if kind == "grpc":
                yield await self._run_grpc(stack, issued, clients)
                return
            context = issued.context()
            if clients is not None:
                context.load_verify_locations(clients)
                context.verify_mode = ssl.CERT_REQUIRED
            connect = await self._find_server(kind, stack)
            yield await stack.enter_async_context(tls_front(context, connect, is_postgresql=kind == "postgresql"))

    async def _find_server(self, kind: str, stack: AsyncExitStack) -> Any:
        """Return the function that connects to a server without TLS."""
        if kind == "postgresql":
            query = parse_qs(self._postgresql.query)
            if "host" not in query:
                return partial(asyncio.open_connection, self._postgresql.hostname, self._postgresql.port)
            return partial(asyncio.open_unix_connection, f"{query['host'][0]}/.s.PGSQL.{query['port'][0]}")
        if kind == "redis":
            valkey = stack.enter_context(Valkey(self._folder).running())
            return partial(asyncio.open_connection, "127.0.0.1", valkey.port)

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(EMPTY)

        listener = socket.create_server(("127.0.0.1", 0))
        await stack.enter_async_context(aclosing(SocketServer(listener, answer)))
        return partial(asyncio.open_connection, *listener.getsockname())

    async def _run_nats(self, stack: AsyncExitStack, issued: Issued, clients: Path | None) -> str:
        options = ["--tls", "--tlscert", str(issued.certificate), "--tlskey", str(issued.key)]
        options += ["--tlsverify", "--tlscacert", str(clients)] if clients else []
        server = stack.enter_context(nats.running(self._folder, *options))
        return server.url.removeprefix("nats://")

    async def _run_grpc(self, stack: AsyncExitStack, issued: Issued, clients: Path | None) -> str:
        pair, root = (read(issued.key), read(issued.certificate)), read(clients) if clients else None

        async def echo(request: bytes, _context: Any) -> bytes:
            return request

        server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        method = grpc.unary_unary_rpc_method_handler(echo)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test.Service", {"Echo": method}),))
        credentials = grpc.ssl_server_credentials([pair], root, require_client_auth=bool(clients))
        port = server.add_secure_port("127.0.0.1:0", credentials)
        await server.start()
        stack.push_async_callback(server.stop, None)
        return f"127.0.0.1:{port}"


@pytest.fixture
def servers(tmp_path: Path, postgres_url: str) -> Servers:
    return Servers(tmp_path, postgres_url)


def open_source(kind: str, at: str, **files: Path) -> Any:
    """Return a source whose address has *files*."""
    query = "&".join(f"{name}={path}" for name, path in files.items())
    url = (ADDRESSES[kind].format(at=at) + query).rstrip("?")
    assert find_address_error(kind, url) is None
    settings = {"url": url, "token": "", "org": "", "bucket": "b", "language": "influxql"}
    return DECLARED[kind].open(settings, SystemClock())


async def talk(kind: str, source: Any) -> None:
    """Request something. Raises SourceError."""
    if kind == "grpc":
        await source.call("/test.Service/Echo", StringValue(value="x"), StringValue, 20)
    elif kind == "postgresql":
        await source.fetch_values("SELECT 1")
    else:
        await source.check()
    if kind == "redis":
        async with aclosing(source.subscribe("news")) as messages:
            assert await anext(messages) is None


async def use(kind: str, at: str, **files: Path) -> None:
    """Talk to a source whose address has *files*. Raises SourceError."""
    source = open_source(kind, at, **files)
    try:
        await talk(kind, source)
    finally:
        await source.close()


@pytest.mark.parametrize("kind", DECLARED)
async def test_a_server_whose_authority_the_address_names_answers(kind: str, servers: Servers, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    async with servers.running(kind, authority.issue("server")) as at:
        await use(kind, at, sslrootcert=authority.file)


@pytest.mark.parametrize("kind", DECLARED)
@pytest.mark.parametrize("fault", ["another authority", "another host"])
async def test_a_server_that_is_not_the_one_of_the_address_is_rejected_with_a_sentence(
    fault: str, kind: str, servers: Servers, tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    issued = authority.issue("server", *(["db.example.org"] if fault == "another host" else []))
    trusted = Authority(tmp_path, "other") if fault == "another authority" else authority
    async with servers.running(kind, issued) as at:
        with pytest.raises(SourceError) as raised:
            await use(kind, at, sslrootcert=trusted.file)
    assert raised.value.cause.startswith(f"news at {at}: its TLS certificate is not trusted")
    assert "; use a certificate for this host that its authority signed, or correct the host" in raised.value.cause


async def test_the_check_of_a_grpc_service_names_the_fault_of_its_certificate(servers: Servers, tmp_path: Path) -> None:
    async with servers.running("grpc", Authority(tmp_path).issue("server")) as at:
        source = GRPC.open({"url": f"grpcs://{at}?sslrootcert={Authority(tmp_path, 'other').file}"}, SystemClock())
        with pytest.raises(SourceError) as raised:
            await source.check()
        await source.close()
    assert "its TLS certificate is not trusted; use a certificate" in raised.value.cause


async def test_another_mcp_server_has_the_authority_of_its_address(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    issued = authority.issue("server")
    environ = {"MCP_TLS_CERTIFICATE": str(issued.certificate), "MCP_TLS_KEY": str(issued.key)}
    declared = McpSource(name="original", server="address", max_in_flight=1)
    async with listening(environ=environ) as server:
        url = f"https://127.0.0.1:{server.port}/mcp"
        trusting = declared.open({"address": f"{url}?sslrootcert={authority.file}"}, SystemClock())
        assert (await trusting.call_tool("get_book", {"id": 7})).structured
        await trusting.close()
        doubting = declared.open({"address": url}, SystemClock())
        with pytest.raises(SourceError) as raised:
            await doubting.check()
        await doubting.close()
    assert "its TLS certificate is not trusted (" in raised.value.cause


@pytest.mark.parametrize("kind", DECLARED)
async def test_a_server_that_demands_a_certificate_gets_that_of_the_address(
    kind: str, servers: Servers, tmp_path: Path
) -> None:
    authority, clients = Authority(tmp_path), Authority(tmp_path, "clients")
    own = clients.issue("own")
    async with servers.running(kind, authority.issue("server"), clients.file) as at:
        await use(kind, at, sslrootcert=authority.file, sslcert=own.certificate, sslkey=own.key)
        with pytest.raises(SourceError) as raised:
            await use(kind, at, sslrootcert=authority.file)
    assert raised.value.cause.startswith(f"news at {at}: ")


async def test_an_authority_of_ssl_cert_file_is_trusted_by_sources_without_files(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    for kind in ("http", "influxdb", "redis", "nats", "grpc"):  # PostgreSQL's clients ask for a file
        folder = tmp_path / kind
        folder.mkdir()
        servers._folder = folder
        async with servers.running(kind, authority.issue("server")) as at:
            await use(kind, at)


@pytest.mark.parametrize("kind", DECLARED)
async def test_a_new_certificate_of_the_client_is_used_by_the_next_connection(
    kind: str, servers: Servers, tmp_path: Path
) -> None:
    authority, clients = Authority(tmp_path), Authority(tmp_path, "clients")
    own, foreign = clients.issue("own"), authority.issue("foreign")
    async with servers.running(kind, authority.issue("server"), clients.file) as at:
        source = open_source(kind, at, sslrootcert=authority.file, sslcert=foreign.certificate, sslkey=foreign.key)
        with pytest.raises(SourceError):
            await talk(kind, source)
        own.certificate.rename(foreign.certificate)
        own.key.rename(foreign.key)
        await talk(kind, source)
        await source.close()


@pytest.mark.parametrize("kind", ["http", "influxdb"])
async def test_files_of_a_client_that_do_not_fit_any_more_leave_its_tls_as_it_was(
    kind: str, servers: Servers, tmp_path: Path
) -> None:
    authority, clients = Authority(tmp_path), Authority(tmp_path, "clients")
    own = clients.issue("own")
    async with servers.running(kind, authority.issue("server"), clients.file) as at:
        source = open_source(kind, at, sslrootcert=authority.file, sslcert=own.certificate, sslkey=own.key)
        await talk(kind, source)
        clients.issue("other").key.rename(own.key)
        with capture_logs() as records:
            await talk(kind, source)
            await talk(kind, source)
        await source.close()
    (fault,) = [each.getMessage() for each in records if each.levelname == "ERROR"]
    expected = f"its address names {own.key} in sslkey, which does not fit the certificate"
    assert fault == f"the TLS of a source stays as it was: {expected}"


@pytest.mark.parametrize(
    "kind, query, sentence",
    [
        ("redis", "sslrootcert={folder}/gone.pem", "names {folder}/gone.pem in sslrootcert, which cannot be read: No"),
        ("nats", "sslrootcert={own.key}", "names {own.key} in sslrootcert, which holds nothing of that kind in PEM"),
        ("grpc", "sslkey={own.key}", "has sslkey without sslcert"),
        ("http", "sslcert={folder}/gone.pem", "names {folder}/gone.pem in sslcert, which cannot be read"),
        (
            "influxdb",
            "sslcert={own.certificate}&sslkey={other.key}",
            "names {other.key} in sslkey, which does not fit the certificate",
        ),
        (
            "postgresql",
            "sslrootcert={folder}/authority.pem&sslcert={locked.certificate}&sslkey={locked.key}",
            "names {locked.key} in sslkey, which is encrypted",
        ),
        ("postgresql", "x=y", "verifies the certificate of its server, so it must name the file of its authority in"),
    ],
)
def test_files_that_cannot_be_used_are_a_sentence_at_the_start(
    kind: str, query: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    authority = Authority(tmp_path)
    issued = {name: authority.issue(name) for name in ("own", "other")}
    issued["locked"] = authority.issue("locked", password=b"hunter2")
    url = ADDRESSES[kind].format(at="u:secret@db.example.org:5000") + query.format(folder=tmp_path, **issued)
    error = find_address_error(kind, url)
    assert error
    assert error.startswith(sentence.format(folder=tmp_path, **issued))
    assert "secret" not in error


@pytest.mark.parametrize("kind", ["http", "influxdb", "redis", "nats"])
def test_files_of_tls_demand_an_address_with_tls(kind: str, tmp_path: Path) -> None:
    plain = {"influxdb": "http", "nats": "nats"}.get(kind, kind)
    error = find_address_error(kind, f"{plain}://db.example.org?sslrootcert={Authority(tmp_path).file}")
    assert error
    assert error.endswith("to have the parameters sslrootcert, sslcert and sslkey")
