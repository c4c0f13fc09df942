"""Progress messages on standard error, for steps that take longer than a second."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def step(sentence: str, *, quiet_s: float = 1.0) -> Iterator[None]:
    """Write *sentence* after *quiet_s* seconds of the block, and the duration at its end.

    A block that ends sooner writes nothing. Lines are written whole, since log records share the stream.
    """
    started = time.monotonic()
    timer = threading.Timer(quiet_s, _write_line, [f"{sentence} ..."])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # the last line is the last
    took = time.monotonic() - started
    if took >= quiet_s:
        _write_line(f"{sentence} ... {took:.1f} s")


def _write_line(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
