"""Processes of the server, as `dev` sees them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from toolaccord_codegen.cli.dev.order import Order
from toolaccord_codegen.cli.servers.fault import Fault

_LINE_BYTES = 1 << 24
"""Longest line of the log, in bytes."""
_OUTPUT_S = 0.3
"""Seconds for the last lines of a process that has ended.

A program that it started may hold its output open.
"""
_RELEASE_S = 1.0
"""Seconds for a process to stop accepting connections."""
_FINISH_S = 0.8
"""Seconds that calls in flight have to finish after Ctrl-C."""
_FORCE_S = 0.7
"""Seconds after a second signal, which abandons them."""


class Worker:
    """A process of the server."""

    def __init__(self, pid: int, orders: asyncio.StreamWriter) -> None:
        self._pid = pid
        self._orders = orders
        self._accepts = asyncio.Event()
        self._released = asyncio.Event()
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """The exit code, once it has ended and its output is read."""
        self.fault: Fault | None = None
        """The place at which loading the user's modules failed."""
        self.is_retired = False
        """True once another process has taken its place."""

    async def serve(self, order: Order) -> bool:
        """Have it load the user's modules and serve.

        Returns True once it accepts connections, False if it ends.
        """
        with suppress(ConnectionError):  # it has ended
            self._orders.write(order.encode())
        accepts: asyncio.Future[Any] = asyncio.create_task(self._accepts.wait())
        await asyncio.wait([accepts, self.ended], return_when=asyncio.FIRST_COMPLETED)
        accepts.cancel()
        return self._accepts.is_set()

    async def follow(self, messages: asyncio.StreamReader, output: asyncio.Task[None]) -> None:
        """Note its messages until it has ended and its *output* is read."""
        code = -signal.SIGKILL
        with suppress(ConnectionError):
            while line := await messages.readline():
                code = self._note(json.loads(line), code)
        self._orders.close()
        await asyncio.wait({output}, timeout=_OUTPUT_S)
        output.cancel()
        self.ended.set_result(code)

    def _note(self, message: dict[str, Any], code: int) -> int:
        """Note a message, and return the exit code, which is *code* unless the message has another."""
        if "accepts" in message:
            (self._accepts if message["accepts"] else self._released).set()
        if "fault" in message:
            self.fault = Fault(**message["fault"])
        return int(message.get("ended", code))

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, unless it has ended."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, number)

    async def retire(self) -> None:
        """Have it finish its calls and end, now that another process serves.

        Returns once it accepts no more connections.
        """
        self.is_retired = True
        self.signal(signal.SIGTERM)
        with suppress(TimeoutError):  # its event loop may be blocked by a handler
            async with asyncio.timeout(_RELEASE_S):
                await self._released.wait()

    async def stop(self) -> None:
        """End it within two seconds."""
        self.is_retired = True
        for patience_s in (_FINISH_S, _FORCE_S):
            self.signal(signal.SIGTERM)
            if (await asyncio.wait({self.ended}, timeout=patience_s))[0]:
                return
        self.signal(signal.SIGKILL)
        await asyncio.wait({self.ended})


class Workers:
    """Starts processes of the server, by a fork server that has loaded the library."""

    def __init__(self, sockets: Sequence[socket.socket], write: Callable[[Worker, bytes], None]) -> None:
        """Start nothing yet; *write* gets each line of a process's output."""
        self._sockets = sockets
        self._write = write
        self._control, self._theirs = socket.socketpair()
        self._following: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Start the fork server."""
        descriptors = [each.fileno() for each in (self._theirs, *self._sockets)]
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "toolaccord_codegen.cli.dev.process", *map(str, descriptors)),
            stdin=asyncio.subprocess.DEVNULL,
            pass_fds=descriptors,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            process_group=0,  # Ctrl-C is the business of `dev`
        )
        self._theirs.close()

    async def start(self) -> Worker:
        """Start a process that waits for its order. Raises OSError if the fork server has ended."""
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        try:
            socket.send_fds(self._control, [b"+"], [theirs.fileno(), writing])
        finally:
            theirs.close()
            os.close(writing)
        messages, orders = await asyncio.open_connection(sock=ours)
        worker = Worker(json.loads(await messages.readline())["pid"], orders)
        output = asyncio.create_task(self._read_output(worker, await _open_reader(reading)))
        following = asyncio.create_task(worker.follow(messages, output))
        self._following.add(following)
        following.add_done_callback(self._following.discard)
        return worker

    async def close(self) -> None:
        """End the fork server; its processes have ended."""
        self._control.close()
        await self._process.wait()

    async def _read_output(self, worker: Worker, output: asyncio.StreamReader) -> None:
        while line := await output.readline():
            self._write(worker, line)


async def _open_reader(descriptor: int) -> asyncio.StreamReader:
    """Return a reader of the pipe's end *descriptor*."""
    reader = asyncio.StreamReader(limit=_LINE_BYTES)
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(descriptor, "rb", 0))
    return reader
