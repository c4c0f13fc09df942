"""A real Valkey on loopback, which can be stopped, frozen, restarted and filled."""

import contextlib
import itertools
import json
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from tests.services.service_process import PATIENCE_S, ServiceProcess
from toolaccord.testing.redis import find

PERSISTENT = ("--appendonly", "yes", "--appendfsync", "always")
"""Options of a server that keeps its data when it is killed."""


class Valkey(ServiceProcess):
    """A server on one port of 127.0.0.1; its data stay in *folder* while it is stopped.

    *options* are further ones of the command line, such as `--maxmemory 2mb` or PERSISTENT.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        self._folder = folder
        self._options = options
        self.port = 0

    @property
    def url(self) -> str:
        """The address."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start, on the same port as before, and return when it answers."""
        limit = time.monotonic() + PATIENCE_S
        while not self._start(limit):
            if time.monotonic() > limit:
                raise TimeoutError((self._folder / "valkey.log").read_text()[-2000:])

    def restart(self) -> None:
        """Kill the server and start it again; only a PERSISTENT one has its data then."""
        self.stop(signal.SIGKILL)
        self.start()

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """Listen to nobody meanwhile."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    @contextlib.contextmanager
    def full(self) -> Iterator[None]:
        """Reject writes meanwhile because the memory is full (`maxmemory`, noeviction)."""
        self.command("CONFIG", "SET", "maxmemory-policy", "noeviction", "maxmemory", "1")
        try:
            yield
        finally:
            self.command("CONFIG", "SET", "maxmemory", "0")

    @contextlib.contextmanager
    def subscribed(self, *channels: str) -> Iterator[Callable[[], list[tuple[str, Any]]]]:
        """Give a function that returns the messages since its last call: channel and JSON payload."""
        with Redis(port=self.port, socket_timeout=PATIENCE_S) as client, client.pubsub() as subscription:
            subscription.subscribe(*channels)
            messages = subscription.listen()
            for _ in channels:
                assert next(messages)["type"] == "subscribe"

            def receive() -> list[tuple[str, Any]]:
                self.command("PUBLISH", channels[0], "null")  # behind everything that was published before
                before = itertools.takewhile(lambda message: message["data"] != b"null", messages)
                return [(message["channel"].decode(), json.loads(message["data"])) for message in before]

            yield receive

    def command(self, *words: Any) -> Any:
        """Return the answer to a command, sent on a connection of its own."""
        with Redis(port=self.port, socket_timeout=PATIENCE_S) as client:
            return client.execute_command(*words)

    def _start(self, limit: float) -> bool:
        """Start the process; return False if it ends, e.g. because the port is in use."""
        self.port = self.port or _free_port()
        command = [str(find()), "--bind", "127.0.0.1", "--port", str(self.port), "--save", ""]
        with (self._folder / "valkey.log").open("ab") as log:
            process = subprocess.Popen([*command, *self._options], cwd=self._folder, stdout=log, stderr=log)
        while process.poll() is None and time.monotonic() < limit:
            with contextlib.suppress(RedisConnectionError), Redis(port=self.port, socket_timeout=PATIENCE_S) as client:
                client.ping()
                self._process = process
                return True
            time.sleep(0.005)
        process.kill()
        process.wait()
        return False


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
