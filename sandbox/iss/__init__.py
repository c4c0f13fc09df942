"""A stand-in for the MOEX ISS interface: a real HTTP server on loopback that answers in the documented shapes.

Its prices are the same on every day; only the exchange's clock runs. `sandbox.iss.faults` lists the tickers that misbehave.
"""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import uvicorn

from sandbox.iss.service import application


def utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


@contextlib.contextmanager
def serve(*, now: Callable[[], datetime] = utc_now, port: int = 0) -> Iterator[str]:
    """Serve on 127.0.0.1 from a thread of this process, on a free port unless one is given.

    Gives the base URL, which ends in /iss. *now* tells the exchange's clock. Requests still open at the end are cut off.
    """
    with _listener(port) as listener:
        server = uvicorn.Server(_configuration(now))
        thread = threading.Thread(target=server.run, args=([listener],), name="iss stand-in", daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/iss"
        finally:
            server.should_exit = server.force_exit = True
            thread.join()


def _listener(port: int) -> socket.socket:
    """A socket that names its protocol: asyncio sends small parts of an answer at once only on such a one."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen()
    return listener


def _configuration(now: Callable[[], datetime]) -> uvicorn.Config:
    """A quiet server on asyncio, whatever else happens to be installed; the process keeps its own logging."""
    return uvicorn.Config(
        application(now),
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="warning",
        access_log=False,
    )
