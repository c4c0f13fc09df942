"""Real ZeroMQ sockets in processes that tests can stop, freeze and start again."""

import json
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from io import FileIO
from typing import Any

import zmq

PATIENCE_S = 30.0
POLL_MS = 10
"""Time after which a peer that reads nothing looks for new connections."""
SHORT = 200
"""Size up to which a peer reports what it received, and not only a digest."""


class ZmqPeer:
    """A bound socket of a type; later starts keep the endpoints of the first."""

    def __init__(
        self,
        kind: str,
        *subscriptions: bytes,
        endpoint: str = "tcp://127.0.0.1:*",
        reads: bool = True,
        ipv6: bool = False,
    ) -> None:
        """*reads* is false for a subscriber that reads nothing until `read` is called."""
        self.endpoint = endpoint
        prefixes = [each.hex() for each in subscriptions]
        self._options = json.dumps({"kind": kind, "subscribe": prefixes, "reads": reads, "ipv6": ipv6})
        self._process: subprocess.Popen[str] | None = None
        self._received: deque[Any] = deque()

    def start(self) -> None:
        """Start the process and bind its socket."""
        command = [sys.executable, "-m", "tests.services.zmq", self._options]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        self.endpoint = self.bind(self.endpoint)

    def stop(self, how: signal.Signals = signal.SIGKILL) -> None:
        """End the process and wait until it is gone."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(how)
            process.communicate(timeout=PATIENCE_S)

    def bind(self, endpoint: str) -> str:
        """Bind the socket to one more endpoint; return it with its port."""
        self._write({"bind": endpoint})
        while "bound" not in (report := self._read()):
            self._received.append(report)
        return str(report["bound"])

    def read(self) -> None:
        """Read from now on."""
        self._write({"reads": True})

    def send(self, *parts: bytes) -> None:
        """Send a message."""
        self._write({"send": [part.hex() for part in parts]})

    def send_large(self, size: int) -> None:
        """Send a message of *size* bytes."""
        self._write({"send_bytes": size})

    def receive(self, count: int = 1) -> list[bytes]:
        """Return what the socket received next, long messages as their digest."""
        while len(self._received) < count:
            self._received.append(self._read())
        return [bytes.fromhex(self._received.popleft()["received"]) for _ in range(count)]

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Let the process stand still; its connections stay open."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)
        os.waitpid(self._process.pid, os.WUNTRACED)
        try:
            yield
        finally:
            os.kill(self._process.pid, signal.SIGCONT)

    def _write(self, command: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()

    def _read(self) -> Any:
        assert self._process is not None
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


@contextmanager
def running(kind: str, *subscriptions: bytes, **options: Any) -> Iterator[ZmqPeer]:
    """A peer that is there, and gone at the end."""
    peer = ZmqPeer(kind, *subscriptions, **options)
    peer.start()
    try:
        yield peer
    finally:
        peer.stop()


def digest(message: bytes) -> bytes:
    """Return *message*, or the digest of a long one."""
    return message if len(message) <= SHORT else sha256(message).digest()


def main(options: dict[str, Any]) -> None:
    """Serve the commands on standard input, and report on standard output."""
    socket = zmq.Context().socket(getattr(zmq, options["kind"]))
    socket.setsockopt(zmq.IPV6, options["ipv6"])
    for prefix in options["subscribe"]:
        socket.subscribe(bytes.fromhex(prefix))
    if not options["reads"]:
        socket.set_hwm(1)
    commands = FileIO(sys.stdin.fileno())  # reads no further than the end of a line
    reads, poller = options["reads"], zmq.Poller()
    poller.register(commands, zmq.POLLIN)
    while True:
        poller.register(socket, zmq.POLLIN if reads else 0)
        ready = dict(poller.poll(None if reads else POLL_MS))
        if socket in ready:
            report(received=digest(b"".join(socket.recv_multipart())).hex())
        if commands.fileno() in ready:
            reads = obey(socket, json.loads(commands.readline())) or reads
        socket.getsockopt(zmq.EVENTS)


def obey(socket: zmq.Socket[bytes], command: dict[str, Any]) -> bool:
    """Obey one command; return whether the socket is to be read from now on."""
    match command:
        case {"bind": endpoint}:
            socket.bind(endpoint)
            report(bound=socket.getsockopt_string(zmq.LAST_ENDPOINT))
        case {"send": parts}:
            socket.send_multipart([bytes.fromhex(part) for part in parts])
        case {"send_bytes": size}:
            socket.send(bytes(size))
        case _:
            pass
    return bool(command.get("reads"))


def report(**values: str) -> None:
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
