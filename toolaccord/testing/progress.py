"""Progress on standard error, for steps that take long.

`python progress.py SENTENCE` shows a line until its standard input ends.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import Protocol, Self

PATIENCE_S = 2.0
"""Seconds before a line appears."""
_REDRAW_S = 0.5
_BAR = 20
_CLEAR = "\r\x1b[2K"
_LOCK = threading.RLock()
_OPEN: list[Line] = []
"""The lines of steps that go on; a terminal shows the last one."""


class Timer(Protocol):
    """A callback that waits for its time."""

    def cancel(self) -> None:
        """Forget the callback."""


class Clock(Protocol):
    """A clock with timers."""

    def monotonic(self) -> float:
        """Return seconds that only grow."""

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> Timer:
        """Call *callback* after *seconds*."""


class ThreadClock:
    """The computer's clock; each timer is a thread."""

    def monotonic(self) -> float:
        """Return seconds that only grow."""
        return time.monotonic()

    def call_later(self, seconds: float, callback: Callable[[], None], /) -> Timer:
        """Call *callback* after *seconds*, unless the process ends before."""
        timer = threading.Timer(seconds, callback)
        timer.daemon = True
        timer.start()
        return timer


_CLOCK = ThreadClock()


class Line:
    """A line on a terminal that appears after two seconds of a step, and disappears at its end.

    Anywhere else there is none.
    """

    def __init__(self, sentence: str, clock: Clock = _CLOCK) -> None:
        self._sentence = sentence
        self._clock = clock
        self._started = clock.monotonic()
        self._part = ""
        self._timer: Timer | None = None
        self._is_shown = False

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            with _LOCK:
                _OPEN.append(self)
                self._timer = self._clock.call_later(PATIENCE_S, self._draw)
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is None:
            return
        with _LOCK:
            _OPEN.remove(self)
            self._timer.cancel()
            if self._is_shown:
                _write(_CLEAR)

    def show(self, done: int, total: int, name: str) -> None:
        """Show how many parts of the step are done, and the *name* of the one that goes on."""
        full = _BAR * done // total
        bar = f"{_choose_bar() * full}{' ' * (_BAR - full)}"
        with _LOCK:
            self._part = f" {bar} {done} of {total}: {name}"
            if self._is_shown and self in _OPEN:
                self._write()

    def _draw(self) -> None:
        with _LOCK:
            if self not in _OPEN:
                return
            self._write()
            self._timer = self._clock.call_later(_REDRAW_S, self._draw)

    def _write(self) -> None:
        """Write the line, unless a later step has one."""
        if _OPEN[-1] is self:
            self._is_shown = True
            seconds = f", {self._clock.monotonic() - self._started:.0f} s"
            room = max(0, get_terminal_size().columns - len(seconds) - 1)
            _write(f"{_CLEAR}{(self._sentence + self._part)[:room]}{seconds}")


@contextmanager
def step(sentence: str, *, quiet_s: float = 1.0, stays: bool = False, clock: Clock = _CLOCK) -> Iterator[None]:
    """Tell that the block takes long.

    A terminal shows a line until its end. Elsewhere, or if it *stays*, *sentence* is written after *quiet_s* seconds,
    and the duration at the end. A block that ends sooner writes nothing.
    """
    if sys.stderr.isatty() and not stays:
        with Line(sentence, clock):
            yield
        return
    started = clock.monotonic()
    timer = clock.call_later(quiet_s, lambda: _write(f"{sentence} ...\n"))
    try:
        yield
    finally:
        timer.cancel()
        if isinstance(timer, threading.Timer):
            timer.join()  # the last line is the last
    took = clock.monotonic() - started
    if took >= quiet_s:
        _write(f"{sentence} ... {took:.1f} s\n")


def _choose_bar() -> str:
    is_unicode = (sys.stderr.encoding or "").lower().startswith("utf")
    return "━" if is_unicode else "="


def _write(text: str) -> None:
    """Write a text at once, since log records share the stream."""
    sys.stderr.write(text)
    sys.stderr.flush()


if __name__ == "__main__":
    with Line(sys.argv[1]):
        sys.stdin.read()
