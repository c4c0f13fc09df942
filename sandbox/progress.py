"""What is going on, for whoever waits longer than a second."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def step(sentence: str, *, quiet_s: float = 1.0) -> Iterator[None]:
    """Say *sentence* on standard error once it has taken *quiet_s* seconds, and at the end how long it took.

    What is over sooner says nothing. Lines are written whole, since log records share the stream.
    """
    begun = time.monotonic()
    timer = threading.Timer(quiet_s, _say, [f"{sentence} ..."])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # the last line is the last
    took = time.monotonic() - begun
    if took >= quiet_s:
        _say(f"{sentence} ... {took:.1f} s")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
