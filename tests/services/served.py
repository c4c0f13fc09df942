"""A generated server as a process that listens for HTTP on loopback."""

import asyncio
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_PATIENCE_S = 60.0
"""Seconds after which a test gives up; far more than a start or a stop takes."""
LISTENING = re.compile(rb'listening on (http://[^\s"]+)[\s"]')
"""The URL in the log of a server that listens."""


def free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


class Served:
    """A server that runs."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._said = bytearray()
        self._listening: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._reading = asyncio.create_task(self._read())
        self.url = ""
        """The URL of the server, without a path."""

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._process.pid

    async def listening(self) -> None:
        """Wait until it listens. Raises RuntimeError with its output if it ends instead."""
        self.url = await asyncio.wait_for(asyncio.shield(self._listening), _PATIENCE_S)

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    async def ended(self) -> int:
        """Wait for its end and return its exit code."""
        return await asyncio.wait_for(self._process.wait(), _PATIENCE_S)

    async def end(self) -> None:
        """Stop it."""
        if self._process.returncode is None:
            self._process.terminate()
        try:
            await self.ended()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        await self._reading

    async def _read(self) -> None:
        """Read its standard error to the end."""
        assert self._process.stderr
        while chunk := await self._process.stderr.read(65536):
            self._said += chunk
            if not self._listening.done() and (found := LISTENING.search(self._said)):
                self._listening.set_result(found[1].decode())
        if not self._listening.done():
            self._listening.set_exception(RuntimeError(self._said.decode()[-4000:]))


@asynccontextmanager
async def serving(
    module: str, folder: Path, *arguments: str, env: Mapping[str, str] | None = None
) -> AsyncIterator[Served]:
    """Run the server *module* from *folder* on a free port; give it once it listens."""
    path = os.pathsep.join([str(_ROOT), str(folder)])
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", module, "--transport", "http", "--port", "0", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path} | dict(env or {}),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    served = Served(process)
    try:
        await served.listening()
        yield served
    finally:
        await served.end()
