"""A server with a certificate: its start, its clients, and a certificate that is replaced."""

import asyncio
import os
import re
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from tests.services.certificate import DAY, Authority, Issued
from tests.toolaccord.demo.library import GetBookRequest
from tests.toolaccord.demo.library_client import LibraryClient
from tests.toolaccord.generated.demo.library.client import GET_BOOK
from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import PATIENCE_S, started
from toolaccord.errors import ServerGone


def settings(issued: Issued) -> dict[str, str]:
    return {"MCP_TLS_CERTIFICATE": str(issued.certificate), "MCP_TLS_KEY": str(issued.key)}


def trusting(authority: Authority) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=authority.file)


def run(*command: str, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        env=os.environ | environ, capture_output=True, encoding="utf-8", timeout=PATIENCE_S, check=False,
    )  # fmt: skip


async def log_has_twice(server: Listener, text: str) -> None:
    await server.process.log_has(text)
    await server.process.log_has(text, server.process.logged.find(text.encode()) + 1)


async def test_a_server_with_a_certificate_is_at_https_and_has_its_own_origin(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    environ = settings(authority.issue("server"))
    async with listening(environ=environ, trust=trusting(authority)) as server:
        assert str(server.client.base_url) == f"https://127.0.0.1:{server.port}"
        for scheme, status in (("https", 200), ("http", 403)):
            headers = {"Origin": f"{scheme}://127.0.0.1:{server.port}"}
            assert (await server.client.get("/ready", headers=headers)).status_code == status
        metrics = (await server.client.get("/metrics")).text
        assert re.search(r"^mcp_tls_certificate_expiry_timestamp_seconds 1\.\d+e\+09$", metrics, re.MULTILINE)


async def test_one_file_may_hold_the_certificate_and_its_key(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    issued = authority.issue("server")
    with issued.certificate.open("ab") as file:
        file.write(issued.key.read_bytes())
    environ = {"MCP_TLS_CERTIFICATE": str(issued.certificate)}
    async with listening(environ=environ, trust=trusting(authority)) as server:
        assert (await server.client.get("/health")).status_code == 200


async def test_a_new_certificate_is_served_without_a_restart(tmp_path: Path) -> None:
    old, new = Authority(tmp_path, "old"), Authority(tmp_path, "new")
    issued = old.issue("server")
    async with listening(environ=settings(issued), trust=trusting(old)) as server:
        assert (await server.client.get("/health")).status_code == 200
        replacement = new.issue("replacement")
        replacement.key.rename(issued.key)
        replacement.certificate.rename(issued.certificate)
        await server.process.log_has("was read again")
        assert (await server.client.get("/health")).status_code == 200  # on the connection that is open
        async with httpx.AsyncClient(verify=trusting(new), trust_env=False) as client:
            assert (await client.get(f"https://127.0.0.1:{server.port}/health")).status_code == 200
        async with httpx.AsyncClient(verify=trusting(old), trust_env=False) as client:
            with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
                await client.get(f"https://127.0.0.1:{server.port}/health")


async def test_each_worker_serves_the_new_certificate(tmp_path: Path) -> None:
    old, new = Authority(tmp_path, "old"), Authority(tmp_path, "new")
    issued = old.issue("server")
    async with listening("--workers", "2", environ=settings(issued), trust=trusting(old)) as server:
        await log_has_twice(server, "accepts connections")
        replacement = new.issue("replacement", life=(-DAY, 90 * DAY))
        replacement.key.rename(issued.key)
        replacement.certificate.rename(issued.certificate)
        await log_has_twice(server, "was read again")
        async with httpx.AsyncClient(verify=trusting(new), trust_env=False, timeout=PATIENCE_S) as client:
            metrics = (await client.get(f"https://127.0.0.1:{server.port}/metrics")).text
        found = re.search(r"^mcp_tls_certificate_expiry_timestamp_seconds (\S+)$", metrics, re.MULTILINE)
        assert found
        assert float(found[1]) < time.time() + 91 * DAY.total_seconds()


async def test_idle_connections_and_unfinished_handshakes_do_not_delay_a_stop(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    environ = settings(authority.issue("server")) | {"MCP_GRACE_S": "3600"}
    async with listening(environ=environ, trust=trusting(authority)) as server:
        _, silent = await asyncio.open_connection("127.0.0.1", server.port)
        assert (await server.client.get("/health")).status_code == 200  # kept by the client, which does not read
        server.process.signal(signal.SIGTERM)
        assert await server.process.exit_code() == 0
        silent.close()


@pytest.mark.parametrize(
    "environ, sentence",
    [
        ({"MCP_TLS_CERTIFICATE": "/gone.pem"}, "MCP_TLS_CERTIFICATE: /gone.pem cannot be read: No such file"),
        ({"MCP_TLS_KEY": "/key.pem"}, "MCP_TLS_CERTIFICATE is missing; MCP_TLS_KEY names the key"),
    ],
)
async def test_a_server_does_not_start_without_its_certificate(environ: dict[str, str], sentence: str) -> None:
    async with started("--transport", "http", "--port", "0", environ=environ) as process:
        assert await process.exit_code() == 2
        assert process.logged.startswith(f"library-mcp: {sentence}".encode())
        assert b"Traceback" not in process.logged


async def test_an_encrypted_key_stops_the_start_without_a_question(tmp_path: Path) -> None:
    issued = Authority(tmp_path).issue("server", password=b"hunter2")
    async with started("--transport", "http", "--port", "0", environ=settings(issued)) as process:
        assert await process.exit_code() == 2
        assert b"is encrypted; store the key without a password.\n" in process.logged


async def test_the_health_check_of_a_container_speaks_tls_to_the_name_that_the_certificate_lacks(
    tmp_path: Path,
) -> None:
    authority = Authority(tmp_path)
    environ = settings(authority.issue("server", "mcp.example.org"))
    async with listening(environ=environ) as server:
        check = "toolaccord.server.healthcheck", str(server.port)
        assert run(*check, environ=environ).returncode == 0
        plain = run(*check, environ={})
        assert plain.returncode == 1
        assert plain.stderr.startswith(f"no answer on port {server.port}: ")


async def test_a_typed_client_trusts_the_authority_of_ssl_cert_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    authority = Authority(tmp_path)
    async with listening(environ=settings(authority.issue("server"))) as server:
        url = f"https://127.0.0.1:{server.port}/mcp"
        with pytest.raises(ServerGone, match="CERTIFICATE_VERIFY_FAILED"):
            async with LibraryClient.http(url):
                raise AssertionError("it is open")
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        async with LibraryClient.http(url) as client:
            assert (await client.call(GET_BOOK, GetBookRequest(id=7))).result.id == 7


async def test_commands_call_a_server_whose_authority_is_in_ssl_cert_file(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    async with listening(environ=settings(authority.issue("server"))) as server:
        call = ("toolaccord_codegen", "call", "--url", f"https://127.0.0.1:{server.port}/mcp", "get_book", "id=7")
        environ = {"NO_PROXY": "127.0.0.1"}
        doubted = await asyncio.to_thread(run, *call, environ=environ)
        assert (doubted.returncode, doubted.stdout) == (2, "")
        assert "CERTIFICATE_VERIFY_FAILED" in doubted.stderr
        trusted = await asyncio.to_thread(run, *call, environ=environ | {"SSL_CERT_FILE": str(authority.file)})
        assert (trusted.returncode, trusted.stderr) == (0, "")
