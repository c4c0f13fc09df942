"""Start swimmy-mcp on each transport, and receive what it publishes."""

import http.client
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, Any, Protocol
from urllib.parse import urlsplit

import zmq

from tests.contracts.reading import ROOT
from tests.services.served import LISTENING

MODULE = "gateway.swimmy"
KEY = "a-key-of-the-tests"
SUBMIT, STATUS, TRADE = "backtest.submit", "backtest.status", "trade.submit"
PATIENCE_S = 60
_RECEIVE_BUFFER_BYTES = 65_536
TRANSPORTS = ("content-length", "stdio", "http")
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
}


class Bus:
    """The Guardian's socket: a bound SUB that receives everything.

    A thread receives all the time: libzmq subscribes at a new connection only while its owner uses the socket.
    """

    def __init__(self, *, capacity: int = 1000) -> None:
        """Bind the socket, whose queue holds *capacity* messages, and a few more in the kernel."""
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.SUB)
        self._socket.linger, self._socket.rcvhwm, self._socket.rcvbuf = 0, capacity, _RECEIVE_BUFFER_BYTES
        self._socket.subscribe(b"")
        self._received = queue.SimpleQueue[bytes]()
        self._is_receiving = threading.Event()
        self._is_receiving.set()
        self.endpoint = f"tcp://127.0.0.1:{self._socket.bind_to_random_port('tcp://127.0.0.1')}"
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def receive(self) -> str:
        """Return the next message. Raises queue.Empty after a minute."""
        return self._received.get(timeout=PATIENCE_S).decode()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Receive at most one more message meanwhile."""
        self._is_receiving.clear()
        try:
            yield
        finally:
            self._is_receiving.set()

    def close(self) -> None:
        """Close the socket."""
        self._is_receiving.set()
        self._context.term()
        self._thread.join()

    def _run(self) -> None:
        with self._socket, suppress(zmq.ContextTerminated):
            while self._is_receiving.wait():
                self._received.put(self._socket.recv())


@contextmanager
def bound_bus(*, capacity: int = 1000) -> Iterator[Bus]:
    """Give a bus on a free port of loopback, whose queue holds *capacity* messages."""
    bus = Bus(capacity=capacity)
    try:
        yield bus
    finally:
        bus.close()


class Client(Protocol):
    """A client of a running server."""

    def call(self, method: str, arguments: str) -> dict[str, Any]:
        """Return the envelope of a call, whose *arguments* are JSON and sent as they are."""


class FramedClient:
    """A client over Content-Length framing."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout

    def call(self, method: str, arguments: str) -> dict[str, Any]:
        """Return `{"error": ...}`, or the result."""
        members = arguments.strip()[1:]
        params = f'{{"api_key":"{KEY}"' + ("," if members != "}" else "") + members
        body = f'{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}'.encode()
        self._stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._stdin.flush()
        answer: dict[str, Any] = json.loads(self._read_body())
        return {"error": answer["error"]} if "error" in answer else answer["result"]

    def _read_body(self) -> bytes:
        length = 0
        while (line := self._stdout.readline()) != b"\r\n":
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        return self._stdout.read(length)


class McpClient:
    """A client of MCP over standard input and output, in the stateless era."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout

    def call(self, method: str, arguments: str) -> dict[str, Any]:
        """Return the envelope of the tool's answer, or `{"error": ...}` of the protocol."""
        params = f'{{"name":"{method}","arguments":{arguments},"_meta":{json.dumps(_META)}}}'
        request = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}\n'
        self._stdin.write(request.encode())
        self._stdin.flush()
        answer = json.loads(self._stdout.readline())
        if "error" in answer:
            return {"error": answer["error"]}
        envelope: dict[str, Any] = json.loads(answer["result"]["content"][0]["text"])
        assert answer["result"].get("isError", False) == ("error" in envelope)
        return envelope


class RestClient:
    """A client of the REST routes."""

    def __init__(self, url: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE_S)

    def call(self, method: str, arguments: str) -> dict[str, Any]:
        """Return the envelope of the response."""
        headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
        self._connection.request("POST", f"/mcp/tools/{method}", arguments.encode(), headers)
        response = self._connection.getresponse()
        envelope: dict[str, Any] = json.loads(response.read())
        assert (response.status >= 400) == ("error" in envelope)
        return envelope

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


@contextmanager
def running_gateway(transport: str, environ: Mapping[str, str], *arguments: str) -> Iterator[Client]:
    """Run swimmy-mcp on *transport* with *environ* in its environment, and give a client of it."""
    command = [sys.executable, "-m", f"generated.{MODULE}", "--transport", transport, *arguments]
    command += ["--port", "0"] if transport == "http" else []
    process = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | {"SWIMMY_MCP_API_KEY": KEY} | dict(environ),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE if transport == "http" else subprocess.DEVNULL,
    )  # fmt: skip
    try:
        if transport != "http":
            yield FramedClient(process) if transport == "content-length" else McpClient(process)
        else:
            assert process.stderr is not None
            client = RestClient(_find_url(process.stderr))
            try:
                yield client
            finally:
                client.close()
    finally:
        process.kill()
        process.communicate()


def _find_url(log: IO[bytes]) -> str:
    """Return the URL that *log* names."""
    for line in log:
        if found := LISTENING.search(line):
            return found[1].decode()
    raise RuntimeError("the server ended before it listened")
