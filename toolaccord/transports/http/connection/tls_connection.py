"""A connection with TLS, which counts and is limited from its first packet on."""

from __future__ import annotations

import asyncio
from asyncio.sslproto import SSLProtocol
from typing import Any

from toolaccord.transports.http.connection.certificate import Certificate
from toolaccord.transports.http.connection.limited_connection import LimitedConnection
from toolaccord.transports.http.connection.open_connections import Connections
from toolaccord.transports.http.connection.tls_transport import TlsTransport


def accept(connections: Connections, **uvicorn_arguments: Any) -> asyncio.BaseProtocol:
    """Return the protocol of a new connection, with TLS if the server has a certificate."""
    if connections.certificate is None:
        return LimitedConnection(connections, **uvicorn_arguments)
    return TlsConnection(connections, connections.certificate, **uvicorn_arguments)


class TlsConnection(SSLProtocol):
    """The TLS of a connection.

    uvicorn would have asyncio's server do the handshakes, which nothing counts, and which have a minute. Here the
    handshake takes a place among the connections, and ends within the time to the first byte.
    """

    def __init__(self, connections: Connections, certificate: Certificate, **uvicorn_arguments: Any) -> None:
        self._connections = connections
        self._certificate = certificate
        self._open = uvicorn_arguments["server_state"].connections
        self._socket: asyncio.Transport | None = None
        self._secured = _SecuredConnection(self, connections, **uvicorn_arguments)
        super().__init__(
            asyncio.get_running_loop(),
            self._secured,
            certificate.context,
            None,  # type: ignore[arg-type] # nobody waits for the handshake, as in asyncio's own server
            server_side=True,
            ssl_handshake_timeout=connections.limits.first_byte_timeout_s,  # type: ignore[arg-type] # any number works
            ssl_shutdown_timeout=connections.limits.discard_timeout_s,
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the handshake."""
        assert isinstance(transport, asyncio.Transport)
        self._socket = transport
        self._connections.add(transport)
        self._open.add(self)
        super().connection_made(transport)

    def shutdown(self) -> None:
        """End the handshake, because the server stops."""
        if self._socket is not None:
            self._socket.abort()

    def end_handshake(self) -> asyncio.Transport:
        """Give the place among the connections away, and return the transport of the socket."""
        assert self._socket is not None
        socket, self._socket = self._socket, None
        self._connections.remove(socket)
        self._open.discard(self)
        return socket

    def connection_lost(self, exc: BaseException | None) -> None:
        """Log a handshake that failed; the connection after it learns of its own end."""
        if self._socket is not None:
            self.end_handshake()
            self._certificate.report_failed_handshake(exc)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Hold back what follows until the client has taken what is buffered."""
        super().pause_writing()
        self._secured.pause_writing()

    def resume_writing(self) -> None:
        """Continue with what is encrypted, which may pause again, and then with responses."""
        super().resume_writing()
        self._secured.resume_writing()


class _SecuredConnection(LimitedConnection):
    """A connection behind its TLS."""

    def __init__(self, tls: TlsConnection, connections: Connections, **uvicorn_arguments: Any) -> None:
        super().__init__(connections, **uvicorn_arguments)
        self._tls = tls
        self._secured: TlsTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first byte, after the handshake."""
        assert isinstance(transport, asyncio.Transport)
        self._secured = TlsTransport(transport, self._tls.end_handshake())
        super().connection_made(self._secured)

    def eof_received(self) -> bool:  # type: ignore[override] # see LimitedConnection
        """Return False: asyncio's TLS ends both directions at once."""
        return False

    def pause_writing(self) -> None:
        """Hold responses back, unless the handshake is still going on."""
        if self._secured is not None:
            super().pause_writing()

    def resume_writing(self) -> None:
        """Continue with the end of TLS, or with responses."""
        if self._secured is not None:
            self._secured.close_socket()
            super().resume_writing()
