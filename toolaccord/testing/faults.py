"""Chaos switches: a TCP relay in front of a real source, with the faults of a network.

`python -m toolaccord.testing.faults SOURCE` relays a port or a URL in a process of its own. It writes the relay's
address to standard output, takes a switch from each line of standard input, such as `delay 2`, and ends with the input.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from toolaccord.testing.socket_server import READ_LIMIT, SocketServer
from toolaccord.timing.clock import Clock, SystemClock, sleep

_HOST = "127.0.0.1"
_CORRUPTED = 8
"""Bytes of a piece that are corrupted, enough for the head of each protocol."""
_RESET = struct.pack("ii", 1, 0)
"""Option of a socket that is reset when it is closed (SO_LINGER)."""


class _Address(NamedTuple):
    """The place of a source, and its URL with `{port}` for the port of a relay."""

    place: Path | tuple[str, int]
    url: str

    @classmethod
    def of(cls, url: str) -> _Address:
        """Return the address in *url*.

        PostgreSQL has the folder of its Unix socket among the parameters. Raises ValueError for a text without a place.
        """
        parts = urlsplit(url if "://" in url else f"//{url}")
        login, at, _ = parts.netloc.rpartition("@")
        relayed = parts._replace(netloc=f"{login}{at}{_HOST}:{{port}}")
        parameters = dict(parse_qsl(parts.query))
        if parts.scheme == "unix":  # of Redis
            return cls(Path(parts.path), relayed._replace(scheme="redis", path="").geturl())
        if folder := parameters.pop("host", None):
            socket_name = f".s.PGSQL.{parameters.pop('port', 5432)}"
            return cls(Path(folder) / socket_name, relayed._replace(query=urlencode(parameters)).geturl())
        if parts.hostname is None or parts.port is None:
            raise ValueError(f"{parts.scheme or 'the text'} names no host and port")
        return cls((parts.hostname, parts.port), relayed.geturl().removeprefix("//"))

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return a new connection to the source."""
        if isinstance(self.place, Path):
            return await asyncio.open_unix_connection(self.place)
        return await asyncio.open_connection(*self.place)


class Relay:
    """Relays connections from a free port of 127.0.0.1 to a source.

    A switch counts from the next byte on.
    """

    def __init__(self, source: int | str, clock: Clock | None = None) -> None:
        """*source* is a port of 127.0.0.1, or the URL of a server, also one on a Unix socket.

        Raises ValueError for a URL without a port.
        """
        self._source = _Address.of(source if isinstance(source, str) else f"{_HOST}:{source}")
        self._clock = clock or SystemClock()
        self._listener = socket.create_server((_HOST, 0))  # a port is taken before anybody connects
        self.port: int = self._listener.getsockname()[1]
        """Port of the relay."""
        self._server: SocketServer | None = None
        self._clients: set[asyncio.StreamWriter] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self.connections = 0
        """Number of connections so far."""
        self.is_delaying = asyncio.Event()
        """Set when an answer waits for its delay."""
        self.delay_s = 0.0
        """Seconds by which each answer is late."""
        self.bytes_per_s = 0.0
        """Rate at which answers arrive; 0 for no limit."""
        self.drops = False
        """True if the bytes of answers vanish, as in a network that loses them."""
        self.corrupts = False
        """True if the first bytes of each answer are others."""
        self.cuts = False
        """True if a connection is reset as soon as an answer begins."""

    @property
    def url(self) -> str:
        """Return the URL of the source with the address of the relay."""
        return self._source.url.format(port=self.port)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Relay]:
        """Relay meanwhile."""
        self._server = SocketServer(self._listener, self.connected)
        try:
            yield self
        finally:
            await self.refuse()

    def heal(self) -> None:
        """Turn each switch off, except that of `refuse`."""
        self.delay_s = self.bytes_per_s = 0.0
        self.drops = self.corrupts = self.cuts = False
        self.is_delaying.clear()
        self.thaw()

    def freeze(self) -> None:
        """Hold back what both ends send, until `thaw`."""
        self._flowing.clear()

    def thaw(self) -> None:
        """Pass on what was held back."""
        self._flowing.set()

    def reset(self) -> None:
        """Reset every connection, as the end of a host does; new ones are accepted."""
        for client in self._clients:
            _reset(client)

    def close(self) -> None:
        """End every connection, as a server that stops does; new ones are accepted."""
        for client in self._clients:
            client.close()

    async def refuse(self) -> None:
        """Reset every connection, and refuse new ones."""
        server, self._server = self._server, None
        if server is not None:
            self.reset()
            await server.aclose()

    def accept(self) -> None:
        """Accept connections again, on the same port."""
        if self._server is None:
            self._listener = socket.create_server((_HOST, self.port))
            self._server = SocketServer(self._listener, self.connected)

    async def turn(self, name: str, value: str = "1") -> None:
        """Turn the switch *name*, as a line of text has it.

        Raises ValueError, which says which there are.
        """
        switches: Mapping[str, Callable[[], object]] = {
            "delay": lambda: setattr(self, "delay_s", float(value)),
            "throttle": lambda: setattr(self, "bytes_per_s", float(value)),
            "drop": lambda: setattr(self, "drops", True),
            "corrupt": lambda: setattr(self, "corrupts", True),
            "cut": lambda: setattr(self, "cuts", True),
            **{
                each.__name__: each for each in (self.freeze, self.thaw, self.reset, self.close, self.accept, self.heal)
            },
        }
        if name == "refuse":
            await self.refuse()
        elif name in switches:
            switches[name]()
        else:
            raise ValueError(f"there is no switch {name}; take one of {', '.join(switches)}, refuse")

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Relay one connection until one end closes it."""
        self.connections += 1
        from_source, to_source = await self._source.connect()
        self._clients.add(writer)
        try:
            copies = {
                asyncio.create_task(self._copy(reader, to_source)),
                asyncio.create_task(self._answer(from_source, writer)),
            }
            _, pending = await asyncio.wait(copies, return_when=asyncio.FIRST_COMPLETED)
            for task in pending:
                task.cancel()
            await asyncio.gather(*copies, return_exceptions=True)
        finally:
            self._clients.discard(writer)
            to_source.transport.abort()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(READ_LIMIT):
            await self._flowing.wait()
            writer.write(data)
            await writer.drain()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(READ_LIMIT):
            late_s = self.delay_s + (len(data) / self.bytes_per_s if self.bytes_per_s else 0.0)
            if late_s:
                self.is_delaying.set()
                await sleep(self._clock, late_s)
            await self._flowing.wait()
            if self.cuts:
                _reset(writer)
                return
            if self.drops:
                continue
            head = bytes(each ^ 0xFF for each in data[:_CORRUPTED]) if self.corrupts else data[:_CORRUPTED]
            writer.write(head + data[_CORRUPTED:])
            await writer.drain()


def _reset(client: asyncio.StreamWriter) -> None:
    """Reset the connection to *client*."""
    client.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    client.transport.abort()


async def _run(source: str) -> None:
    """Relay *source*, and turn the switches that standard input names, until it ends."""
    async with Relay(int(source) if source.isdigit() else source).running() as relay:
        sys.stdout.write(f"{relay.url}\n")
        sys.stdout.flush()
        while line := await asyncio.to_thread(sys.stdin.readline):
            name, _, value = line.strip().partition(" ")
            try:
                await relay.turn(name, value or "1")
            except ValueError as error:
                sys.stderr.write(f"{error}\n")


if __name__ == "__main__":
    asyncio.run(_run(sys.argv[1]))
