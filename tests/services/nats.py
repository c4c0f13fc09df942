"""A real NATS server with JetStream on loopback that tests can stop, freeze and start again."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import nats
from nats.js import JetStreamContext

PROGRAM = Path(sys.executable).with_name("nats-server")
PATIENCE_S = 60.0


class NatsServer:
    """A server of this process; later starts keep the port of the first, and the streams."""

    def __init__(self, home: Path, *options: str) -> None:
        self._home, self._options = home, options
        self._process: subprocess.Popen[bytes] | None = None
        self._port = -1
        """-1 makes the server choose one."""

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        address = ["--addr", "127.0.0.1", "--port", str(self._port), "--ports_file_dir", str(self._home)]
        store = ["--jetstream", "--store_dir", str(self._home), "--log", str(self._home / "log")]
        process = self._process = subprocess.Popen([PROGRAM, *address, *store, *self._options])
        ports = self._home / f"nats-server_{process.pid}.ports"
        end = time.monotonic() + PATIENCE_S
        while not (written := ports.exists() and ports.read_text(encoding="utf-8")):
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"nats-server did not start:\n{(self._home / 'log').read_text(encoding='utf-8')}")
            time.sleep(0.005)
        self._port = int(json.loads(written)["nats"][0].rpartition(":")[2])

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End the server and wait until it is gone."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE_S)
            self._process = None

    def kill(self) -> None:
        """Kill the server."""
        self.stop(signal.SIGKILL)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Let the server stand still; its connections stay open."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)
        os.waitpid(self._process.pid, os.WUNTRACED)
        try:
            yield
        finally:
            os.kill(self._process.pid, signal.SIGCONT)


@contextmanager
def running(home: Path, *options: str) -> Iterator[NatsServer]:
    """A server that is there, and gone at the end."""
    server = NatsServer(home, *options)
    server.start()
    try:
        yield server
    finally:
        server.stop()


async def delete_streams(streams: JetStreamContext) -> None:
    """Delete every stream; one with messages might leave some to the next of its name."""
    for stream in await streams.streams_info():
        assert stream.config.name
        await streams.purge_stream(stream.config.name)
        await streams.delete_stream(stream.config.name)


@asynccontextmanager
async def jetstream(url: str) -> AsyncIterator[JetStreamContext]:
    """JetStream as its own client sees it, to make streams and to look into them."""
    client = await nats.connect(url)
    try:
        yield client.jetstream()
    finally:
        await client.close()
