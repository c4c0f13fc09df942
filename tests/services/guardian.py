"""The Guardian of the sandbox, which tests can stop, freeze and start again, and a peer."""

import json
import signal
import subprocess
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path

import zmq

from sandbox.guardian import Guardian
from sandbox.guardian.s_expressions import Datum, parse, to_mapping
from tests.contracts.reading import ROOT
from tests.services.service_process import ServiceProcess

PATIENCE_MS = 60_000
PROBE, LAST_PROBE = '((action . "BACKTEST"))', '((action . "BACKTEST") (request_id . "last"))'
"""Requests that are answered by errors, with the request_id MISSING and `last`."""


class GuardianServer(ServiceProcess):
    """A Guardian at the given addresses, or at free ones, which later starts keep."""

    _end = signal.SIGKILL

    def __init__(self, folder: Path, *addresses: str) -> None:
        self._folder = folder
        self._addresses = addresses

    @property
    def guardian(self) -> Guardian:
        """The addresses and files."""
        endpoint, results_endpoint = self._addresses
        return Guardian(endpoint, results_endpoint, self._folder)

    def start(self) -> None:
        """Start the process and wait until its sockets are bound."""
        command = [sys.executable, "-m", "sandbox.guardian", str(self._folder), *self._addresses]
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        assert process.stdout is not None
        bound = json.loads(process.stdout.readline())
        self._process, self._addresses = process, (bound["endpoint"], bound["results_endpoint"])


def running(folder: Path) -> AbstractContextManager[GuardianServer]:
    """Give a started Guardian with its files in *folder*."""
    return GuardianServer(folder).running()


class Peer:
    """Sockets that are connected to a Guardian: one sends requests, the other receives results."""

    def __init__(self, guardian: Guardian, context: zmq.Context[zmq.Socket[bytes]]) -> None:
        self._requests, self._results = context.socket(zmq.XPUB), context.socket(zmq.SUB)
        self._results.subscribe(b"")
        for socket, address in ((self._requests, guardian.endpoint), (self._results, guardian.results_endpoint)):
            socket.linger, socket.rcvtimeo = 0, PATIENCE_MS
            socket.connect(address)
        assert self._requests.recv() == b"\x01"  # the subscription: nothing is lost from now on
        self._wait_for_results()

    def _wait_for_results(self) -> None:
        """Send probes until a result arrives: no event tells that the subscription has."""
        end = time.monotonic() + PATIENCE_MS / 1000
        while not self._results.poll(50) and time.monotonic() < end:
            self.send(PROBE)
        self.send(LAST_PROBE)
        while self.receive()["request_id"] != "last":
            pass

    def send(self, message: str | bytes) -> None:
        """Send a message."""
        self._requests.send(message.encode() if isinstance(message, str) else message)

    def receive(self) -> dict[str, Datum]:
        """Return the `result` of the next message."""
        message = to_mapping(parse(self._results.recv().decode()))
        assert message["type"] == "BACKTEST_RESULT"
        return to_mapping(message["result"])

    def close(self) -> None:
        """Close the sockets."""
        self._requests.close()
        self._results.close()
