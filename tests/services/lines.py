"""The lines of a pipe from a process, as a test waits for them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import IO, TypeVar

from tests.toolaccord.process import PATIENCE_S

T = TypeVar("T")


class Lines:
    """The lines of one pipe, which a thread reads as they come."""

    def __init__(self, pipe: IO[str] | None) -> None:
        assert pipe
        self._pipe = pipe
        self._lines: list[str] = []
        self._is_over = False
        self._more = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def so_far(self) -> list[str]:
        """The lines so far, without their ends."""
        with self._more:
            return [*self._lines]

    def wait_for(self, find: Callable[[list[str]], T | None]) -> T:
        """Return what *find* finds in the lines, once it is not None.

        Raises TimeoutError with the last lines if it never is, or if the process ends before.
        """
        with self._more:
            self._more.wait_for(lambda: self._is_over or find(self._lines) is not None, PATIENCE_S)
            found = find(self._lines)
            if found is None:
                raise TimeoutError("\n".join(self._lines[-20:]))
            return found

    def _read(self) -> None:
        with self._pipe:
            for line in self._pipe:
                with self._more:
                    self._lines.append(line.rstrip("\n"))
                    self._more.notify_all()
        with self._more:
            self._is_over = True
            self._more.notify_all()
