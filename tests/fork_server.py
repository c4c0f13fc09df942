"""Start servers, agents and commands by forking a process that has loaded the libraries.

Imports take most of the start of a program. `install` makes `subprocess` and asyncio fork `python -m MODULE` here, as
`multiprocessing.forkserver` does for functions. The new process is a child of the process of tests: it has streams,
environment and folder of its own, and is waited for and signalled like any other. A command with options of the
interpreter, or with other values of what the interpreter or the loader reads, PYTHONPATH apart, is executed anew. A
program of STARTERS has a fork server of its own, for the programs that it starts.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO

ROOT = Path(__file__).parents[1]
_SERVING = (
    "aiohttp",
    "anyio._backends._asyncio",
    "asyncpg",
    "encodings.idna",
    "httpcore2",
    "httpx2",
    "jsonschema_rs",
    "nats",
    "redis.asyncio",
    "rich.console",
    "tests.toolaccord.generated.demo.library.server",
    "toolaccord.agent.main",
    "toolaccord.client.sdk",
    "toolaccord.server.loading",
    "toolaccord.server.main",
    "toolaccord.server.serve",
    "toolaccord.server.tasks",
    "toolaccord.sources.http",
    "toolaccord.sources.nats",
    "toolaccord.transports.content_length.server",
    "toolaccord.transports.http.app",
    "toolaccord.transports.http.server",
    "toolaccord.transports.mcp.sdk.resources",
    "toolaccord.transports.mcp.sdk.server",
    "toolaccord.transports.mcp.sdk.subscriptions",
    "toolaccord.transports.stdio.server",
    "truststore",
    "uvicorn.lifespan.off",
)
_COMPILING = (
    "datamodel_code_generator.config",
    "datamodel_code_generator.model.pydantic_v2",
    "datamodel_code_generator.parser.jsonschema",
    "jinja2",
    "mcp.client.stdio",
    "rich.table",
    "toolaccord.client.sdk",
    "toolaccord_codegen.cli.breaking",
    "toolaccord_codegen.cli.call.command",
    "toolaccord_codegen.cli.check",
    "toolaccord_codegen.cli.dev.command",
    "toolaccord_codegen.cli.lint",
    "toolaccord_codegen.cli.parser",
    "toolaccord_codegen.cli.queries.proving",
    "toolaccord_codegen.cli.rules",
    "toolaccord_codegen.compiler",
    "toolaccord_codegen.emit.render",
)
LOADED: Mapping[str, tuple[str, ...]] = {
    "generated": _SERVING,
    "sandbox": _SERVING,
    "tests": _SERVING,
    "toolaccord_codegen": _COMPILING,
}
"""Packages whose programs are forked, with the modules that their fork server loads.

No module starts a thread. Of any other package or module a program is forked if that is in the folder or in PYTHONPATH
of the program.
"""
_AT_START = ("sitecustomize.py", "toolaccord", "toolaccord_codegen")
"""Modules that a new interpreter takes from a program's folder, and a forked one does not."""
STARTERS = ("generated.agents", "sandbox.demo", "tests.toolaccord.demo.scout")
"""Beginnings of the names of programs that start others."""
_READ_EARLY = ("LANG", "LC_", "LD_", "MALLOC_", "PYTHON", "SSL_")
"""Beginnings of the variables that are read before a program runs."""
_MAX_BYTES = 100_000
"""Size of the longest request; a longer one does not fit into a packet."""
_SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
_PATIENCE_S = 60
"""Seconds in which a fork server ends."""
_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run: what a new process has, beside its three standard streams."""

    command: list[str]
    environment: dict[str, str]
    folder: str
    ignored: list[int]
    """The signals that it ignores, as its parent does."""
    has_session: bool
    """True to start a session, with a process group of its own."""

    @property
    def path(self) -> list[str]:
        """Its folder, and what PYTHONPATH has: it looks for modules there first."""
        return [self.folder, *_split_path(self.environment)]

    def list_loaded(self) -> tuple[str, ...]:
        """Return the modules that its fork server loads; none for a program that is executed."""
        if self.command[:2] != [sys.executable, "-m"] or not all(map(os.path.isabs, self.path)):
            return ()
        places = [place for place in map(Path, self.path) if place != ROOT]
        package = self.command[2].partition(".")[0]
        own = (
            _SERVING if any((place / name).exists() for place in places for name in (package, f"{package}.py")) else ()
        )
        needs_own_start = any((place / name).exists() for place in places for name in _AT_START)
        return () if needs_own_start else LOADED.get(package, own)


class ForkServer:
    """The connections to fork servers; each starts with the first program of its packages."""

    def __init__(self, connections: Mapping[tuple[str, ...], socket.socket] = MappingProxyType({})) -> None:
        self._execute: Any = subprocess._fork_exec  # type: ignore[attr-defined]
        self._environment = dict(os.environ)
        self._connections = dict(connections)
        self._servers: list[subprocess.Popen[bytes]] = []
        self._lock = threading.Lock()
        self._prctl = ctypes.CDLL(None).prctl
        atexit.register(self.end)

    def end(self) -> None:
        """End the fork servers; the programs that they have forked go on."""
        for connection in self._connections.values():
            connection.close()
        for server in self._servers:
            server.wait(_PATIENCE_S)

    def start(self, arguments: Sequence[Any], *details: Any) -> int:
        """Start a program, and return its process id.

        The parameters are those of `subprocess._fork_exec`.
        """
        _files, close_fds, inherited, folder, variables, *pipes_and_more = details
        read, _, _, write, _, errors, _, error_pipe, _, has_session, *rest = pipes_and_more
        process_group, *account, umask, before = rest[:6]
        is_usual = close_fds and tuple(inherited) == (error_pipe,) and before is None and account == [None] * 3
        program = Program(
            command=[os.fsdecode(argument) for argument in arguments],
            environment=_decode(variables),
            folder=os.fsdecode(folder or Path.cwd()),
            ignored=[number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_IGN],
            has_session=bool(has_session),
        )
        request = json.dumps(asdict(program)).encode()
        is_usual = is_usual and (process_group, umask) == (-1, -1) and len(request) <= _MAX_BYTES
        is_alike = _select_early(program.environment).items() <= _select_early(self._environment).items()
        if is_usual and is_alike and (names := program.list_loaded()):
            streams = enumerate((read, write, errors))
            return self._fork(names, request, [each if each >= 0 else own for own, each in streams])
        started: int = self._execute(arguments, *details)
        return started

    def _fork(self, names: tuple[str, ...], request: bytes, streams: list[int]) -> int:
        with self._lock:
            connection = self._connections.get(names) or self._open(names)
            self._connections[names] = connection
            self._prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # adopt the new process, whose parent ends at once
            try:
                socket.send_fds(connection, [request], streams)
                return int(connection.recv(32))
            finally:
                self._prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)

    def _open(self, names: tuple[str, ...]) -> socket.socket:
        """Start the fork server that loads some modules; it ends with this process."""
        own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        code = f"from tests.fork_server import serve; serve({other.fileno()}, {names})"
        with other:
            server = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.DEVNULL,
                pass_fds=[other.fileno()],
                cwd=ROOT,
                env=self._environment,
            )
        self._servers.append(server)
        return own


def install() -> None:
    """Start the programs of this process by a fork server, where the system allows it."""
    if sys.platform == "linux" and hasattr(subprocess, "_fork_exec"):
        subprocess._fork_exec = ForkServer().start


def serve(descriptor: int, names: tuple[str, ...]) -> None:
    """Load modules, and fork for each request on the socket *descriptor*, until its end.

    The new process runs the program of the request.
    """
    for name in names:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    program = _take(socket.socket(fileno=descriptor), names)
    if program is not None:
        gc.enable()
        _run(program.command[2])


def _run(module: str) -> None:
    """Run *module*, and end as processes of multiprocessing do.

    The interpreter would look at all that this process has loaded, and so copy its memory, which takes twice the time.
    Ends as any interpreter after an exception, a sentence for people, or a stream that takes nothing.
    """
    code = 0
    try:
        runpy._run_module_as_main(module)  # type: ignore[attr-defined]
    except SystemExit as ended:
        if not isinstance(ended.code, int | None):
            raise
        code = ended.code or 0
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    gc.collect()  # tells of coroutines and tasks that nobody awaited
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _take(connection: socket.socket, names: tuple[str, ...]) -> Program | None:
    """Fork for each request until the end; return the program of the process that was forked."""
    with connection:
        program = _receive(connection)
    if program is None or not program.command[2].startswith(STARTERS):
        return program
    own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        own.close()
        _detach()
        return _take(other, names)
    other.close()
    subprocess._fork_exec = ForkServer({names: own}).start  # type: ignore[attr-defined]
    return program


def _detach() -> None:
    """Leave streams and signals to the program whose fork server this process becomes."""
    with Path(os.devnull).open("r+b", buffering=0) as nothing:
        for stream in range(3):
            os.dup2(nothing.fileno(), stream)
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _receive(connection: socket.socket) -> Program | None:
    """Fork for each request, and report the process ids."""
    while True:
        request, streams, _, _ = socket.recv_fds(connection, _MAX_BYTES, 3)
        if not request:
            return None
        gate, opening = os.pipe()
        if (forked := _fork_twice()) == 0:
            os.close(opening)
            os.read(gate, 1)  # until the new parent knows this process
            os.close(gate)
            program = Program(**json.loads(request))
            _become(program, streams)
            return program
        connection.send(str(forked).encode())
        for each in (gate, opening, *streams):
            os.close(each)


def _fork_twice() -> int:
    """Fork a process that the subreaper adopts; return its id, and 0 in that process.

    The process in between ends at once, because only orphans are adopted.
    """
    reading, writing = os.pipe()
    if (middle := os.fork()) == 0:
        if (forked := os.fork()) != 0:
            os.write(writing, str(forked).encode())
            os._exit(0)
        os.close(reading)
        os.close(writing)
        return 0
    os.waitpid(middle, 0)
    forked = int(os.read(reading, 32))
    os.close(reading)
    os.close(writing)
    return forked


def _become(program: Program, streams: Sequence[int]) -> None:
    """Give this process what a new interpreter has when it runs *program*."""
    for own, stream in enumerate(streams):
        os.dup2(stream, own)
        os.close(stream)
    for own, name in enumerate(("stdin", "stdout", "stderr")):
        opened = _reopen(own, getattr(sys, name))
        setattr(sys, name, opened)
        setattr(sys, f"__{name}__", opened)
    sys.path[: len(_split_path(os.environ)) + 1] = program.path
    os.environ.clear()
    os.environ.update(program.environment)
    time.tzset()
    os.chdir(program.folder)
    importlib.invalidate_caches()
    sys.orig_argv[:] = program.command
    sys.argv[:] = ["-m", *program.command[3:]]
    if program.has_session:
        os.setsid()
    for number in _SIGNALS:
        usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, signal.SIG_IGN if number in program.ignored else usual)


def _reopen(descriptor: int, before: Any) -> TextIO:
    """Return a standard stream as the interpreter opens it; standard error by lines."""
    how: dict[str, Any] = {"encoding": before.encoding, "errors": before.errors, "newline": "\n", "closefd": False}
    opened: TextIO = os.fdopen(descriptor, "w" if descriptor else "r", 1 if descriptor == 2 else -1, **how)
    return opened


def _decode(variables: Sequence[bytes] | None) -> dict[str, str]:
    """Return the environment of a new process; that of this one by default."""
    if variables is None:
        return dict(os.environ)
    pairs = (os.fsdecode(each).partition("=") for each in variables)
    return {name: value for name, _, value in pairs}


def _select_early(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: environment[name] for name in environment if name.startswith(_READ_EARLY) and name != "PYTHONPATH"}


def _split_path(environment: Mapping[str, str]) -> list[str]:
    return environment["PYTHONPATH"].split(os.pathsep) if environment.get("PYTHONPATH") else []
