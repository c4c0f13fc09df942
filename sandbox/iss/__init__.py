"""A stand-in for the MOEX ISS interface: a real HTTP server on loopback that answers in the documented shapes.

It serves shares of a few boards and their candles since 2010, indices and what they are made of, and what a security is. Its numbers are
invented and never change: the same clock gives the same answers. What may go wrong, and by which name, is listed in `sandbox.iss.faults`; a
name stands for its fault in `Exchange.fail`, in place of a ticker, and in a base URL made by `troubled`.
"""

import contextlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from sandbox.iss.exchange import ROOT, Asked, Exchange

__all__ = ["Asked", "Exchange", "serve", "troubled", "utc_now"]


def utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


@contextlib.contextmanager
def serve(*, now: Callable[[], datetime] = utc_now, port: int = 0) -> Iterator[str]:
    """Serve on 127.0.0.1 from a thread of this process, on a free port unless one is given; *now* tells the clock.

    Gives the base URL, which ends in /iss. Who wants to watch the stand-in, or to trouble it, runs an `Exchange`.
    """
    with Exchange(now, port=port).running() as exchange:
        yield exchange.url


def troubled(url: str, fault: str) -> str:
    """The base URL at which the stand-in at *url* has *fault* befall every request."""
    return f"{url.removesuffix(ROOT)}{fault}/{ROOT}"
