"""The addresses that a server listens on over HTTP."""

from __future__ import annotations

import errno
import socket
from contextlib import suppress

BACKLOG = 2048
"""Connections that the system accepts ahead of a process."""
_NO_SUCH_ADDRESS = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
"""Numbers of errors on a machine without IPv6."""
_PORTS_TO_TRY = 10


def listen(host: str, port: int) -> list[socket.socket]:
    """Return the sockets that listen on *host*; *port* 0 selects a free port. Raises OSError.

    `localhost` is 127.0.0.1, and ::1 with the same port if the machine has it, because clients try either first.
    """
    if host != "localhost":
        return [_listen_on(host, port)]
    for _ in range(0 if port else _PORTS_TO_TRY):
        with suppress(OSError):  # a port that is free on one address may be in use on the other
            return _listen_on_loopback(port)
    return _listen_on_loopback(port)


def _listen_on_loopback(port: int) -> list[socket.socket]:
    listening = [_listen_on("127.0.0.1", port)]
    try:
        listening.append(_listen_on("::1", listening[0].getsockname()[1]))
    except OSError as error:
        if error.errno not in _NO_SUCH_ADDRESS:
            listening[0].close()
            raise
    return listening


def _listen_on(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening


def server_url(listening: socket.socket, scheme: str = "http") -> str:
    """Return the URL of the server that listens on a socket."""
    host, port = listening.getsockname()[:2]
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
