"""A stand-in for the MOEX ISS interface: an HTTP server on loopback.

It answers in the documented shapes. It serves shares of a few boards, their candles since 2010, indices and their
compositions, and descriptions of securities. Its numbers are invented, and the same clock gives the same answers.
`sandbox.iss.faults` lists the faults by name. A name works in place of a ticker, and in a base URL from `add_fault`.
"""

import contextlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from sandbox.iss.exchange import ROOT, Exchange

__all__ = ["Exchange", "add_fault", "serve"]


def _utc_now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


@contextlib.contextmanager
def serve(*, now: Callable[[], datetime] = _utc_now, port: int = 0) -> Iterator[str]:
    """Serve on 127.0.0.1, on *port* or a free one, and yield the base URL, which ends in /iss.

    Runs in threads of this process; *now* is the clock.
    """
    with Exchange(now, port=port).running() as exchange:
        yield exchange.url


def add_fault(url: str, fault: str) -> str:
    """Return a base URL of the stand-in at *url* that causes *fault* on every request."""
    return f"{url.removesuffix(ROOT)}{fault}/{ROOT}"
