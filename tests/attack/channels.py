"""Calls of a tool with arguments as JSON text, over every transport and in both eras of MCP."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from tests.attack.lab import OPEN_SETTINGS, AttackedProcess, HttpServer, Lab, stop
from tests.attack.raw_http import exchange, parse_responses, request
from tests.attack.records import Tally
from tests.servers.clients import INITIALIZE, INITIALIZED, format_line
from toolaccord.testing import Era

_PATIENCE_S = 120.0
_VERSIONS: dict[Era, str] = {"handshake": "2025-11-25", "stateless": "2026-07-28"}
_HERE = b'"HERE"'
_PIPE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """The answer to a call, whatever carries it."""

    status: int
    """The HTTP status; 200 on stdio, 0 without a response."""
    message: Any
    """The JSON; None if there is none."""

    @property
    def code(self) -> str | int | None:
        """The code of the tool's error or of the JSON-RPC error, else None."""
        message = self.message if isinstance(self.message, dict) else {}
        body = message.get("result", message)
        if "content" in body:
            body = json.loads(body["content"][0]["text"])
        error = body.get("error") or {}
        if isinstance(error.get("data"), dict):  # the dialect's own error of JSON-RPC has the code's name there
            error = error | error["data"]
        code: str | int | None = error.get("code", error.get("error_type"))
        return code


class Channel(Protocol):
    """A way to call a tool of one process."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def process(self) -> AttackedProcess:
        """The server's process."""

    def call(self, tool: str, arguments: bytes) -> CallAnswer:
        """Call *tool* with *arguments*, which need not be JSON."""


@dataclass(frozen=True, slots=True)
class RestChannel:
    """`POST /mcp/tools/call`."""

    process: HttpServer

    @property
    def name(self) -> str:
        return "REST"

    def call(self, tool: str, arguments: bytes) -> CallAnswer:
        body = b'{"name": "%s", "arguments": %s}' % (tool.encode(), arguments)
        return _post(self.process, request("POST", "/mcp/tools/call", body, Connection="close"))


@dataclass(frozen=True, slots=True)
class McpChannel:
    """`POST /mcp`."""

    process: HttpServer
    era: Era

    @property
    def name(self) -> str:
        return f"MCP over HTTP, {self.era}"

    def call(self, tool: str, arguments: bytes) -> CallAnswer:
        body = _format_call(self.era, 1, tool, arguments)
        fields = {"MCP_Protocol_Version": _VERSIONS[self.era], "Accept": "application/json, text/event-stream"}
        if self.era == "stateless":
            fields |= {"Mcp_Method": "tools/call", "Mcp_Name": tool}
        return _post(self.process, request("POST", "/mcp", body, Connection="close", **fields))


@dataclass(slots=True)
class StdioChannel:
    """Lines on the pipes of a process."""

    process: AttackedProcess
    era: Era
    last_id: int = 0

    @property
    def name(self) -> str:
        return f"stdio, {self.era}"

    def call(self, tool: str, arguments: bytes) -> CallAnswer:
        self.last_id += 1
        self._write(_format_call(self.era, self.last_id, tool, arguments) + b"\n")
        return CallAnswer(200, self._read())

    def initialize(self) -> None:
        """Open the session, in the handshake era."""
        if self.era == "handshake":
            self._write(format_line(self.era, 0, "initialize", INITIALIZE))
            self._read()
            self._write(INITIALIZED)

    def _write(self, line: bytes) -> None:
        assert self.process.process.stdin is not None
        self.process.process.stdin.write(line)
        self.process.process.stdin.flush()

    def _read(self) -> Any:
        """Return the next answer; notifications are skipped."""
        assert self.process.process.stdout is not None
        while line := self.process.process.stdout.readline():
            message = json.loads(line)
            if "id" in message:
                return message
        raise EOFError("the server ended")


def _format_call(era: Era, id_: int, tool: str, arguments: bytes) -> bytes:
    line = format_line(era, id_, "tools/call", {"name": tool, "arguments": "HERE"})
    return line.rstrip(b"\n").replace(_HERE, arguments)


def _post(server: HttpServer, message: bytes) -> CallAnswer:
    answers = parse_responses(exchange(server.port, message, quiet_s=_PATIENCE_S))
    if not answers:
        return CallAnswer(0, None)
    body = answers[0].body
    if answers[0].headers.get("content-type", "").startswith("text/event-stream"):
        body = body.rpartition(b"data: ")[2]
    return CallAnswer(answers[0].status, json.loads(body) if body else None)


@contextmanager
def open_channels(lab: Lab, tally: Tally, module: str) -> Iterator[list[Channel]]:
    """Run the server *module* over HTTP and twice on stdio; give all channels, REST first."""
    with (
        lab.server(module, tally) as server,
        _stdio(lab, tally, module, "handshake") as handshake,
        _stdio(lab, tally, module, "stateless") as stateless,
    ):
        yield [
            RestChannel(server),
            McpChannel(server, "handshake"),
            McpChannel(server, "stateless"),
            handshake,
            stateless,
        ]


@contextmanager
def _stdio(lab: Lab, tally: Tally, module: str, era: Era) -> Iterator[StdioChannel]:
    environment = os.environ | OPEN_SETTINGS
    command = [lab.python, "-m", f"generated.{module}"]
    with (lab.new_folder() / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            bufsize=_PIPE_BYTES,
            cwd=lab.checkout,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        )
    with process:
        channel = StdioChannel(AttackedProcess(process), era)
        try:
            channel.initialize()
            yield channel
            if process.poll() is None:
                tally.peaks_mib.append(channel.process.peak_mib())
        finally:
            stop(process)
