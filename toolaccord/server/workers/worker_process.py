"""A worker, as its supervisor sees it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import orjson

from toolaccord.server.workers import VARIABLE
from toolaccord.server.workers.balance import Balance
from toolaccord.server.workers.channel import Channel
from toolaccord.server.workers.orders import Order

_LOG = logging.getLogger(__name__)
_LAST_MESSAGES_S = 1.0
"""Seconds between the end of a process and the last of its messages."""


AnswerWorker: TypeAlias = Callable[[str], Awaitable[Any]]
"""Returns the answer to a topic that a worker asks about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """The command that each worker runs."""

    arguments: Sequence[str]
    """The program and its arguments."""
    environ: Mapping[str, str]
    """Its environment."""
    sockets: Sequence[socket.socket]
    """Sockets that it accepts connections on."""
    balance: Balance
    """Numbers of the connections of all."""


class WorkerProcess:
    """A process that serves, or is about to."""

    def __init__(
        self, process: asyncio.subprocess.Process, connection: socket.socket, answer: AnswerWorker, place: int
    ) -> None:
        self._process = process
        self._answer = answer
        self._channel = Channel(connection, self._take)
        self._started_at = time.monotonic()
        self.pid = process.pid
        """Its process id."""
        self.place = place
        """Its place in the balance of connections."""
        self.start_is_over = asyncio.Event()
        """Set once it accepts connections, or has ended before."""
        self.is_accepting = False
        """True while it accepts connections."""
        self.is_silent = False
        """True from a question without an answer until the next message."""
        self.metrics: list[Any] = []
        """The newest snapshot of its metrics."""
        self.ended = asyncio.create_task(self._run())
        """Ends with the process, whose exit code is the result."""

    @classmethod
    async def start(cls, command: Command, answer: AnswerWorker, place: int) -> WorkerProcess:
        """Start a worker; *answer* takes what it asks, *place* is its own in the balance.

        Raises OSError if the system starts no process.
        """
        ours, theirs = socket.socketpair()
        sockets, balance = [each.fileno() for each in command.sockets], command.balance
        order = Order(
            channel=theirs.fileno(),
            sockets=sockets,
            balance=balance.descriptor,
            places=balance.places,
            place=place,
        )
        with ExitStack() as on_failure:
            on_failure.enter_context(ours)
            with theirs:
                process = await asyncio.create_subprocess_exec(
                    *command.arguments,
                    env={**command.environ, VARIABLE: orjson.dumps(asdict(order)).decode()},
                    stdin=asyncio.subprocess.DEVNULL,
                    pass_fds=[theirs.fileno(), balance.descriptor, *sockets],
                    process_group=0,  # a key of the terminal reaches the supervisor alone
                )
            on_failure.pop_all()
        return cls(process, ours, answer, place)

    @property
    def is_running(self) -> bool:
        """Return whether the process has not ended."""
        return self._process.returncode is None

    @property
    def age_s(self) -> float:
        """Seconds since its start."""
        return time.monotonic() - self._started_at

    def tell(self, topic: str, content: Any = None) -> None:
        """Send a message that needs no answer."""
        self._channel.tell(topic, content)

    async def ask(self, topic: str, timeout_s: float) -> Any:
        """Return the answer of the process; None without one in time.

        A process that gave none before is only pinged, so that nobody waits for it again.
        """
        if self.is_silent and topic != "ping":
            return None
        try:
            return await self._channel.ask(topic, timeout_s)
        except TimeoutError:
            self.is_silent = True
            return None

    async def take_metrics(self, timeout_s: float) -> list[Any]:
        """Return a snapshot of its metrics, or the one before if it gives none in time."""
        self.metrics = await self.ask("metrics", timeout_s) or self.metrics
        return self.metrics

    def stop(self, topic: str = "stop") -> None:
        """Let the process finish its calls and end; for `retire`, another one has taken its place."""
        if self.start_is_over.is_set():
            self.tell(topic)
        else:
            self._signal(signal.SIGTERM)  # it may not read its messages yet

    def kill(self) -> None:
        """End the process at once."""
        self._signal(signal.SIGKILL)

    async def _run(self) -> int:
        """Take messages until the process ends; return its exit code, negative for a signal."""
        await self._channel.open()
        messages = asyncio.create_task(self._channel.run())
        code = await self._process.wait()
        await asyncio.wait({messages}, timeout=_LAST_MESSAGES_S)
        messages.cancel()
        self.is_accepting = False
        self.start_is_over.set()
        return code

    async def _take(self, topic: str, content: Any) -> Any:
        """Take a message; pass on what the supervisor answers."""
        self.is_silent = False
        if topic == "accepts":
            self.is_accepting = content
            if content:
                _LOG.info("the worker %s accepts connections", self.pid)
            self.start_is_over.set()
        elif topic == "last_metrics":
            self.metrics = content
        else:
            return await self._answer(topic)
        return None

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)
