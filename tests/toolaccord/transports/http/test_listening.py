"""Addresses that a server listens on."""

import errno
import socket

import httpx
import pytest

from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import started
from toolaccord.transports.http import listening as addresses
from toolaccord.transports.http.listening import listen, server_url


def has_ipv6() -> bool:
    """Return whether this machine has ::1."""
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")


@needs_ipv6
async def test_without_a_host_both_loopback_addresses_answer_on_one_port_and_are_named() -> None:
    async with listening() as server:
        urls = [f"http://127.0.0.1:{server.port}", f"http://[::1]:{server.port}"]
        assert f"library-mcp: listening on {urls[0]} and {urls[1]}\n".encode() in server.process.logged
        await assert_ready(server, urls)


@needs_ipv6
async def test_a_server_with_a_token_asks_for_it_on_both_addresses() -> None:
    environ = {"MCP_AUTH_TOKEN": "open-5e5ame"}
    async with listening(environ=environ) as server, httpx.AsyncClient(trust_env=False) as client:
        for address in ("127.0.0.1", "[::1]"):
            assert (await client.get(f"http://{address}:{server.port}/metrics")).status_code == 401


async def test_a_named_host_is_the_only_address() -> None:
    async with listening("--host", "127.0.0.1") as server:
        await assert_ready(server, [f"http://127.0.0.1:{server.port}"])
        async with httpx.AsyncClient(trust_env=False) as client:
            with pytest.raises(httpx.ConnectError):
                await client.get(f"http://[::1]:{server.port}/ready")


@needs_ipv6
async def test_a_port_that_is_in_use_on_one_of_the_addresses_stops_the_start() -> None:
    with socket.socket(socket.AF_INET6) as other:
        other.bind(("::1", 0))
        other.listen()
        port = other.getsockname()[1]
        async with started("--transport", "http", "--port", str(port)) as process:
            assert await process.exit_code() == 1
            assert f"cannot listen on localhost port {port}: Address already in use".encode() in process.logged


@pytest.mark.parametrize("number", [errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT])
def test_a_machine_without_ipv6_listens_on_127_0_0_1_alone(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    listen_on = addresses._listen_on

    def without_ipv6(host: str, port: int) -> socket.socket:
        if ":" in host:
            raise OSError(number, "no IPv6")
        return listen_on(host, port)

    monkeypatch.setattr(addresses, "_listen_on", without_ipv6)
    (only,) = listen("localhost", 0)
    with only:
        assert server_url(only).startswith("http://127.0.0.1:")


@needs_ipv6
def test_another_free_port_is_taken_if_the_first_is_in_use_on_one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    listen_on, tried = addresses._listen_on, list[str]()

    def in_use_at_first(host: str, port: int) -> socket.socket:
        tried.append(host)
        if tried == ["127.0.0.1", "::1"]:
            raise OSError(errno.EADDRINUSE, "Address already in use")
        return listen_on(host, port)

    monkeypatch.setattr(addresses, "_listen_on", in_use_at_first)
    first, second = listen("localhost", 0)
    with first, second:
        assert first.getsockname()[1] == second.getsockname()[1]
    assert tried == ["127.0.0.1", "::1"] * 2


async def assert_ready(server: Listener, urls: list[str]) -> None:
    """Assert that *server* is ready at each of *urls*, and names no other."""
    line = next(each for each in server.process.logged.decode().splitlines() if each.startswith("library-mcp: "))
    assert line.partition("listening on ")[2].split(" and ") == urls
    async with httpx.AsyncClient(trust_env=False) as client:
        for url in urls:
            assert (await client.get(f"{url}/ready")).status_code == 200
