"""Processes of the server, forked from one that has loaded the library.

`python -m toolaccord_codegen.cli.dev.process CONTROL SOCKET...` has the descriptors of a control socket and of the
listening ones. For each pair of descriptors on the control socket it forks: a socket for messages about the new
process, and a pipe for its output. So the library is loaded once, before the first save, and user's modules are loaded
anew each time. All processes end with `dev`, even if that is killed: its ends of their sockets close.
"""

from __future__ import annotations

import gc
import json
import os
import selectors
import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from toolaccord.server.gc_tuning import pause_gc
from toolaccord.server.main import run
from toolaccord.transports.http.server import Handover
from toolaccord_codegen.cli.dev.order import Order
from toolaccord_codegen.cli.servers.fault import find_fault

LIBRARY = (
    "jsonschema_rs",
    "pydantic",
    "toolaccord.call.pipeline",
    "toolaccord.telemetry.metrics",
    "toolaccord.transports.http.app",
)
"""Modules that every server over HTTP loads sooner or later.

None of them starts a thread, which a fork would lack.
"""
_FORCE_S = 1.0
"""Seconds between the signals to a process whose `dev` has ended."""


class ForkServer:
    """Forks a process for each pair of descriptors, and reports the ends of all."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._forked: dict[int, socket.socket] = {}
        """The sockets for messages about the living processes, by process id."""

    def run(self) -> socket.socket | None:
        """Fork until the control socket ends, and return None; in a new process, return its socket."""
        woken, wake = socket.socketpair()
        wake.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda _signal, _frame: None)  # without a handler nothing is woken
        signal.set_wakeup_fd(wake.fileno())
        with woken, wake, selectors.DefaultSelector() as selector:
            for each in (self._control, woken):
                selector.register(each, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select()]
                if woken in ready:
                    woken.recv(4096)
                    self._report_ends()
                if self._control in ready:
                    _, descriptors, _, _ = socket.recv_fds(self._control, 1, 2)
                    if not descriptors:
                        return None
                    if forked := self._fork(*descriptors):
                        return forked

    def _fork(self, messages: int, output: int) -> socket.socket | None:
        """Fork a process with the socket *messages* that writes to *output*.

        Returns the socket in the new process, None in this one.
        """
        forked = socket.socket(fileno=messages)
        pid = os.fork()
        if pid:
            os.close(output)
            self._forked[pid] = forked
            send(forked, pid=pid)
            return None
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for each in (self._control, *self._forked.values()):
            each.close()
        for standard in (sys.stdout, sys.stderr):
            os.dup2(output, standard.fileno())
        os.close(output)
        return forked

    def _report_ends(self) -> None:
        while self._forked:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            with self._forked.pop(pid) as forked:
                send(forked, ended=os.waitstatus_to_exitcode(status))


def main(descriptors: Sequence[str]) -> int:
    """Fork until `dev` ends, and return 0; in a new process, serve and return the exit code."""
    control, *listening = [socket.socket(fileno=int(each)) for each in descriptors]
    for name in LIBRARY:
        import_module(name)
    gc.freeze()  # keeps the memory of the library shared
    forked = ForkServer(control).run()
    return serve(forked, listening) if forked else 0


def serve(control: socket.socket, listening: Sequence[socket.socket]) -> int:
    """Wait for an order, serve on the sockets *listening*, and return the exit code.

    It is 1 for a fault of the user's modules.
    """
    line = control.makefile("rb").readline()
    if not line:
        return 0
    order = Order(**json.loads(line))
    threading.Thread(target=_stop_with, args=[control], daemon=True).start()
    os.environ.clear()
    os.environ.update(order.environ)
    sys.path[:0] = order.paths
    sys.dont_write_bytecode = True  # two saves within a second may have one size: stale byte code would be loaded
    try:
        with pause_gc():
            server = import_module(f"{order.package}.__main__").create_server()
    except BaseException as error:
        send(control, fault=asdict(find_fault(error, Path(order.project))))
        return 1
    handover = Handover(listening, lambda accepts: send(control, accepts=accepts))
    return run(server, argv=order.arguments, package=order.package, handover=handover)


def send(receiver: socket.socket, **message: Any) -> None:
    """Send a message to `dev`, unless that has ended."""
    with suppress(OSError):
        receiver.sendall(json.dumps(message).encode() + b"\n")


def _stop_with(control: socket.socket) -> None:
    """Stop this process as soon as `dev` has ended."""
    control.recv(1)
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_FORCE_S)
    os._exit(1)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
