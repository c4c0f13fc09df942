"""A server that writes down when its event loop works and waits, and with whom it speaks.

It is the module of the variable TRACED_MODULE, with the arguments of the command. At its end, it writes TRACED_FILE.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import selectors
import socket
import time
from asyncio import selector_events
from pathlib import Path
from typing import Any


class Recorder:
    """The polls of the event loop: begin, end, peers that sent, peers written to afterwards."""

    def __init__(self) -> None:
        self._polls: list[tuple[float, float, list[str], list[str]]] = []
        self._peers: dict[int, str] = {}

    def record(self) -> None:
        """Write down each poll from now on."""
        selector: Any = selectors.EpollSelector
        transport: Any = selector_events._SelectorSocketTransport  # type: ignore[attr-defined]  # noqa: SLF001
        poll, register, write = selector.select, selector.register, transport.write

        def recorded_poll(self_: Any, timeout: float | None = None) -> Any:
            begun = time.perf_counter()
            ready = poll(self_, timeout)
            self._polls.append((begun, time.perf_counter(), [self._find_peer(key.fd) for key, _ in ready], []))
            return ready

        def recorded_registration(self_: Any, connection: Any, events: int, data: Any = None) -> Any:
            key = register(self_, connection, events, data)
            self._peers.pop(key.fd, None)  # a number that a closed connection had
            return key

        def recorded_write(self_: Any, data: Any) -> None:
            write(self_, data)
            if self._polls:
                self._polls[-1][3].append(self._find_peer(self_.get_extra_info("socket").fileno()))

        selector.select = recorded_poll
        selector.register = recorded_registration
        transport.write = recorded_write

    def write(self, file: Path) -> None:
        """Write all polls."""
        file.write_text(json.dumps(self._polls), encoding="ascii")

    def _find_peer(self, number: int) -> str:
        """Return the port or the path at the other end of a connection; empty for anything else."""
        if number not in self._peers:
            self._peers[number] = _read_peer(number)
        return self._peers[number]


def _read_peer(number: int) -> str:
    try:
        with socket.socket(fileno=os.dup(number)) as connection:
            peer = connection.getpeername()
    except OSError:
        return ""
    return peer if isinstance(peer, str) else str(peer[1])


def main() -> None:
    """Run the server that a variable names."""
    recorder = Recorder()
    atexit.register(recorder.write, Path(os.environ["TRACED_FILE"]))
    recorder.record()
    runpy.run_module(os.environ["TRACED_MODULE"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
