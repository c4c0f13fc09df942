"""A session of `dev`: a server that is replaced at each save if the new one is good."""

from __future__ import annotations

import asyncio
import signal
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from toolaccord.transports.http.listening import server_url
from toolaccord_codegen.cli.dev.errors import NoServer
from toolaccord_codegen.cli.dev.order import Order
from toolaccord_codegen.cli.dev.project import DevProject, assign, example_call
from toolaccord_codegen.cli.dev.screen import Screen
from toolaccord_codegen.cli.dev.watching import Saves
from toolaccord_codegen.cli.dev.workers import Worker, Workers
from toolaccord_codegen.cli.servers.fault import Fault
from toolaccord_codegen.cli.servers.served import note_served
from toolaccord_codegen.diagnostics import CommandError, ContractProblems, Problem
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.loading.documents import display_path

if TYPE_CHECKING:
    from toolaccord_codegen.cli.dev.building import Build

_SHOWN_FILES = 3
"""Saved files that a line names."""


class Session:
    """Serves one server, and replaces it at each save."""

    def __init__(
        self,
        project: DevProject,
        sockets: Sequence[socket.socket],
        saves: Saves,
        screen: Screen,
        open_page: Callable[[str], None] | None,
    ) -> None:
        self._project = project
        self._url = server_url(sockets[0]).replace("127.0.0.1", "localhost")
        self._workers = Workers(sockets, self._log)
        self._saves = saves
        self._screen = screen
        self._open_page = open_page
        self._stopping = asyncio.Event()
        self._living: dict[Worker, asyncio.Task[None]] = {}
        """The processes that have not ended, and the tasks that await their ends."""
        self._serving: Worker | None = None
        self._is_welcome = False
        self._is_broken = False
        self._note: Path | None = None
        """The file by which other commands find the server."""

    async def run(self) -> None:
        """Serve until SIGINT, SIGTERM or SIGHUP; a second one ends everything at once.

        Raises NoServer.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._stop)
        await self._workers.open()
        watching = asyncio.create_task(self._saves.watch())
        replacing = asyncio.create_task(self._replace_at_saves())
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait({stopping, watching, replacing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if self._note:
                self._note.unlink(missing_ok=True)
            replacing.cancel()
            self._saves.stop()
            await self._end_workers()
            stopping.cancel()
        await watching
        with suppress(asyncio.CancelledError):
            await replacing

    def _stop(self) -> None:
        """End the session; at once if it is ending already."""
        if self._stopping.is_set():
            for worker in self._living:
                worker.signal(signal.SIGKILL)
        else:
            self._screen.end_line()
        self._stopping.set()

    async def _end_workers(self) -> None:
        await asyncio.gather(*[worker.stop() for worker in self._living])
        await asyncio.gather(*self._living.values())
        await self._workers.close()

    async def _replace_at_saves(self) -> None:
        """Serve, and replace the server at each save."""
        saved: Iterable[Path] = ()
        while True:
            start = time.monotonic()
            if build := await self._replace():
                self._report_success(build, saved, time.monotonic() - start)
            await self._saves.wait()
            saved = self._saves.take()

    async def _replace(self) -> Build | None:
        """Put a new server in the place of the serving one; return None if it is not good.

        Raises NoServer before the first one serves.
        """
        try:
            build = await asyncio.to_thread(self._project.build)
            if build.problems:
                self._report_failure(build.problems)
                return None
            order = await asyncio.to_thread(self._project.order, build)
        except ContractProblems as error:
            self._report_failure(error.problems)
        except (CommandError, OSError, SyntaxError) as error:
            if isinstance(error, NoServer) and not self._is_welcome:
                raise
            self._report_failure([], str(error))
        else:
            return build if await self._take_over(order, build.contract) else None
        return None

    async def _take_over(self, order: Order, contract: Contract) -> bool:
        """Have a new process serve; return False if it ends, or if a file is saved meanwhile."""
        worker = await self._workers.start()
        self._living[worker] = asyncio.create_task(self._await_end(worker))
        starting = asyncio.create_task(worker.serve(order))
        saved = asyncio.create_task(self._saves.wait())
        await asyncio.wait({starting, saved}, return_when=asyncio.FIRST_COMPLETED)
        saved.cancel()
        if not starting.done():
            await worker.stop()
            return False
        if not starting.result():
            self._report_end(worker.fault or await worker.ended, contract)
            return False
        before, self._serving = self._serving, worker
        if before:
            await before.retire()
        return True

    async def _await_end(self, worker: Worker) -> None:
        """Forget a process that has ended; report the end of the serving one."""
        code = await worker.ended
        del self._living[worker]
        if worker is self._serving and not worker.is_retired:
            self._serving = None
            self._is_broken = True
            self._screen.bad(f"the server ended with exit status {code}; the next save starts it again")

    def _report_success(self, build: Build, saved: Iterable[Path], seconds: float) -> None:
        if not self._is_welcome:
            self._welcome(build.contract)
        else:
            names = sorted(display_path(path) for path in saved)
            shown = ", ".join(names[:_SHOWN_FILES]) + (
                f" and {len(names) - _SHOWN_FILES} more" if len(names) > _SHOWN_FILES else ""
            )
            mended = "mended: " if self._is_broken else ""
            self._screen.good(
                f"{mended}{build.contract.name} {build.contract.version} replaced after {shown} ({seconds:.2f} s)"
            )
        self._is_welcome, self._is_broken = True, False

    def _welcome(self, contract: Contract) -> None:
        """Print the addresses of the first server that serves, and open its page."""
        url = self._url
        facts = {"page": f"{url}/", "MCP": f"{url}/mcp", "call": example_call(contract, url)}
        if urls := self._project.databases.urls:
            facts["data"] = "\n        ".join(assign(env, url) for env, url in urls.items())
        self._screen.header(f"{contract.name} {contract.version} serves {contract.document.display_path}", facts)
        self._note = note_served(self._project.root, f"{contract.system}/{contract.module}", f"{url}/mcp")
        self._screen.note("each save replaces the server; Ctrl-C ends it")
        if self._open_page:
            self._open_page(facts["page"])

    def _report_end(self, end: Fault | int, contract: Contract) -> None:
        """Report a new process that did not serve."""
        if isinstance(end, Fault):
            path = display_path(Path(end.path))
            self._report_failure([Problem(path, end.line, end.column, end.kind, end.sentence)])
            return
        for env in self._project.list_missing(contract):  # its output has told what they are for
            self._screen.note(f"write {env}=... into .env beside pyproject.toml, or export it and start dev again")
        self._report_failure([], f"the new server ended with exit status {end}")

    def _report_failure(self, problems: Sequence[Problem], text: str = "") -> None:
        self._is_broken = True
        if self._serving:
            self._screen.bad(f"{text or 'not replaced'}; the last good server goes on serving", problems)
        else:
            self._screen.bad(f"{text or 'not started'}; the next save tries again", problems)

    def _log(self, worker: Worker, line: bytes) -> None:
        self._screen.log(line, only_calls=worker.is_retired)
