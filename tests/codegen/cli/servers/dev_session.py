"""A running `toolaccord dev`, whose files are saved and whose output is read."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import IO, Any

PATIENCE_S = 60
DIALECTS = Path(__file__).parents[4] / "contracts/dialects.json"
CONTRACT = "contracts/acme/books.json"
HANDLERS = "acme_handlers/acme/books.py"
SETTINGS = """
[tool.toolaccord]
package = "acme_generated"
handlers = "acme_handlers"
"""
HANDLER = """
from pathlib import Path
import asyncio
from acme_generated.acme.books.models import SearchBooksRequest, SearchBooksResult
from acme_generated.acme.books.server import BooksCall

TITLES = ["Ulysses"]

async def search_books(request: SearchBooksRequest, call: BooksCall) -> SearchBooksResult:
    gate = Path(request.query)
    if gate.parent.exists() and "/" in request.query:
        print("at the gate")
        while not gate.exists():
            await asyncio.sleep(0.01)
    return SearchBooksResult(titles=TITLES)
"""


def make_contract(description: str = "Find books", **server: Any) -> str:
    """Return the contract of a server with one tool."""
    text = {"type": "string", "minLength": 1, "maxLength": 200, "description": "a word of the title"}
    titles = {"type": "array", "items": {"type": "string"}, "description": "their titles"}
    closed = {"type": "object", "additionalProperties": False}
    tool = {
        "name": "search_books",
        "version": "0.1.0",
        "description": description,
        "effects": {"elsewhere": "nothing"},
        "parameters": {**closed, "properties": {"query": text}, "required": ["query"]},
        "returns": {**closed, "properties": {"titles": titles}, "required": ["titles"]},
        "errors": [],
        "deadline": {"timeout_ms": 60000},
        "examples": [{"arguments": {"query": "o'clock"}, "returns": {"titles": ["Ulysses"]}}],
    }
    about = {"name": "books-mcp", "title": "Books", "version": "0.1.0", "description": "Books."}
    contract = {"contract": 1, "server": about, "dialect": "plain", **server, "tools": [tool]}
    return json.dumps(contract, indent=2)


def write_project(folder: Path) -> None:
    """Write a project with one server."""
    files = {
        "pyproject.toml": SETTINGS,
        "acme_handlers/__init__.py": "",
        "acme_handlers/acme/__init__.py": "",
        HANDLERS: HANDLER,
        CONTRACT: make_contract(),
        "contracts/dialects.json": DIALECTS.read_text(),
        "contracts/shared.json": '{"$defs": {}}',
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Dev:
    """The process, with what it has printed."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process = process
        self.folder = folder
        self.logged: list[str] = []
        """Lines of standard output: the server's log."""
        self.shown: list[str] = []
        """Lines of standard error: those of dev itself."""
        self._more = threading.Condition()
        self._read = 0
        assert process.stdout
        assert process.stderr
        pipes = ((process.stdout, self.logged), (process.stderr, self.shown))
        self.readers = [threading.Thread(target=self._collect, args=pipe) for pipe in pipes]
        for reader in self.readers:
            reader.start()

    def _collect(self, pipe: IO[str], lines: list[str]) -> None:
        for line in pipe:
            with self._more:
                lines.append(line.rstrip("\n"))
                self._more.notify_all()

    def wait_for(self, text: str) -> list[str]:
        """Return the lines of dev after those of the last call, up to one with *text*."""
        with self._more:
            found = self._more.wait_for(lambda: any(text in line for line in self.shown[self._read :]), PATIENCE_S)
            assert found, f"no line has {text!r}: {self.shown[self._read :]}"
            start = self._read
            self._read = next(at for at in range(start, len(self.shown)) if text in self.shown[at]) + 1
            return self.shown[start : self._read]

    def wait_for_log(self, text: str) -> str:
        """Return the first line of the server's output with *text*."""
        with self._more:
            assert self._more.wait_for(lambda: any(text in line for line in self.logged), PATIENCE_S)
            return next(line for line in self.logged if text in line)

    def save(self, name: str, text: str) -> None:
        """Save a file of the project."""
        (self.folder / name).write_text(text)

    @property
    def url(self) -> str:
        """Return the server's address."""
        return next(line.split()[1] for line in self.shown if line.startswith("  page")).removesuffix("/")

    def search(self, query: str = "ulysses") -> Any:
        """Return the answer of the tool."""
        body = json.dumps({"query": query}).encode()
        request = urllib.request.Request(
            f"{self.url}/mcp/tools/search_books", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
            return json.load(response)["titles"]

    def search_on(self, over: threading.Event) -> set[str]:
        """Return the titles that one connection answers until *over*.

        A response may close it: the next request opens it again.
        """
        connection = HTTPConnection(self.url.removeprefix("http://"), timeout=PATIENCE_S)
        found: set[str] = set()
        while not over.is_set():
            connection.request(
                "POST", "/mcp/tools/search_books", '{"query": "u"}', {"Content-Type": "application/json"}
            )
            found |= set(json.load(connection.getresponse())["titles"])
        connection.close()
        return found

    def description(self) -> str:
        """Return the tool's description."""
        request = urllib.request.Request(f"{self.url}/mcp/tools/list", b"{}", {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
            return str(json.load(response)["tools"][0]["description"])

    def descendants(self) -> list[int]:
        """Return the processes that it started: the fork server and the servers."""
        found = [self.process.pid]
        for pid in found:
            found += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
        return found[1:]


@contextmanager
def running_dev(folder: Path, *arguments: str) -> Iterator[Dev]:
    """Run `toolaccord dev` in *folder* on a free port, with its output in pipes."""
    command = [sys.executable, "-m", "toolaccord_codegen", "dev", "--port", "0", *arguments]
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])}
    with subprocess.Popen(
        command, cwd=folder, env=environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        dev = Dev(process, folder)
        try:
            yield dev
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.wait(PATIENCE_S)
            for reader in dev.readers:
                reader.join(PATIENCE_S)
