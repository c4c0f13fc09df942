"""The command at a terminal."""

from __future__ import annotations

import asyncio
import codecs
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from tests.toolaccord.process import PATIENCE_S, ROOT, handled_signals

PROGRAM = (sys.executable, "-m", "toolaccord_codegen")


class Terminal:
    """A command whose input and output are a terminal."""

    def __init__(self, *arguments: str, environ: Mapping[str, str]) -> None:
        self._ours, theirs = pty.openpty()
        own = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        environ = own | {"TERM": "xterm", "COLUMNS": "100"} | dict(environ)
        command = [*PROGRAM, *arguments]
        with handled_signals():
            self._process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, env=environ)
        os.close(theirs)
        self._decoder = codecs.getincrementaldecoder("utf-8")()  # a character may come in two parts
        self.shown = ""

    async def shows(self, text: str) -> None:
        """Wait until the command shows a text."""
        async with asyncio.timeout(PATIENCE_S):
            while text not in self.shown:
                await self.shows_more()

    async def shows_more(self) -> None:
        """Wait until the command shows anything."""
        self.shown += self._decoder.decode(await asyncio.to_thread(os.read, self._ours, 4096))

    async def press_ctrl_c(self) -> None:
        self._process.send_signal(signal.SIGINT)

    async def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    async def end(self) -> int:
        """Wait for the end, and return the exit status."""
        with suppress(OSError):  # the terminal is closed
            while read := await asyncio.to_thread(os.read, self._ours, 4096):
                self.shown += self._decoder.decode(read)
        return await asyncio.to_thread(self._process.wait, PATIENCE_S)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)


@contextmanager
def terminal(*arguments: str, **environ: str) -> Iterator[Terminal]:
    """Give a command at a terminal, with *environ* in its environment."""
    opened = Terminal(*arguments, environ=environ)
    try:
        yield opened
    finally:
        opened.close()
