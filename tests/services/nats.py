"""A real NATS server with JetStream on loopback that tests can stop, freeze and start again."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path

import nats
from nats.js import JetStreamContext

from tests.services.service_process import PATIENCE_S, ServiceProcess

PROGRAM = Path(sys.executable).with_name("nats-server")


class NatsServer(ServiceProcess):
    """A server of this process; later starts keep the port of the first, and the streams."""

    _end = signal.SIGINT

    def __init__(self, home: Path, *options: str) -> None:
        self._home, self._options = home, options
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


def running(home: Path, *options: str) -> AbstractContextManager[NatsServer]:
    """A server that is there, and gone at the end."""
    return NatsServer(home, *options).running()


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
