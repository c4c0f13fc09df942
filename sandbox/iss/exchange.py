"""The stand-in as its owner sees it: what it was asked, and what shall go wrong."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from sandbox.iss.faults import Fault, fault
from sandbox.iss.moment import Moment
from sandbox.iss.service import answer
from sandbox.iss.sessions import MOSCOW
from sandbox.iss.sockets import Request, Response, Service
from sandbox.iss.tables import document

VICTIM = "SBER"
"""The share that is answered with where a fault stands in place of a ticker."""
ROOT = "iss"
HONEST = Fault()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request that came in."""

    at: datetime
    """By the clock of the stand-in, in UTC."""
    at_s: float
    """By time.monotonic, in seconds."""
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """By name in lower case."""


@dataclass(slots=True)
class _Planned:
    """A fault of the next *times* requests, of all if that is None, whose path contains *path*."""

    fault: Fault
    path: str
    times: int | None


class Exchange:
    """A stand-in of ISS on a port of 127.0.0.1."""

    def __init__(self, now: Callable[[], datetime], *, port: int = 0, members: int = 50, cursor: bool = False) -> None:
        self._now = now
        self._members = members
        self._cursor = cursor
        self._service = Service(self._answer, port)
        self._changed = threading.Condition()
        self._plan: list[_Planned] = []
        self._asked: list[Asked] = []

    @property
    def url(self) -> str:
        """The base URL of the documented paths."""
        return f"http://127.0.0.1:{self._service.port}/{ROOT}"

    @property
    def asked(self) -> list[Asked]:
        """Every request so far, in order."""
        with self._changed:
            return list(self._asked)

    @property
    def most_connections(self) -> int:
        """How many connections there were at most at one time."""
        return self._service.most_at_once

    @property
    def answering(self) -> int:
        """How many requests are being answered at the moment; those that are kept waiting for nothing are not."""
        return self._service.answering

    def until_asked(self, count: int, timeout_s: float = 20) -> None:
        """Block until there were *count* requests. Raises TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._asked) >= count, timeout_s):
                raise TimeoutError(f"{len(self._asked)} requests instead of {count}")

    def fail(self, name: str, *, times: int | None = None, path: str = "") -> None:
        """Have the fault *name* befall the next *times* requests, all if that is None, whose path contains *path*.

        Where several are planned for a request, the oldest befalls it. Raises ValueError for a name that is no fault's.
        """
        found = fault(name)
        if found is None:
            raise ValueError(f"There is no fault {name}.")
        with self._changed:
            self._plan.append(_Planned(found, path, times))

    def recover(self) -> None:
        """Let nothing go wrong any more."""
        with self._changed:
            self._plan.clear()

    @contextlib.contextmanager
    def unreachable(self) -> Iterator[None]:
        """Refuse connections for a while, on the same port, having cut those there are."""
        self._service.close()
        try:
            yield
        finally:
            self._service.open()

    @contextlib.contextmanager
    def running(self) -> Iterator["Exchange"]:
        """Serve; requests still open at the end are cut off."""
        self._service.start()
        try:
            yield self
        finally:
            self._service.stop()

    def _answer(self, request: Request) -> Response:
        now = self._now()
        path, named = _fault_in(request.path)
        befalls = self._noted(request, now) or named or HONEST
        query = befalls.asks(request.query)
        moment = Moment(now.astimezone(MOSCOW).replace(tzinfo=None))
        found = answer(path, query, moment, self._members) if request.method == "GET" else None
        if found is None:
            return befalls.sends(Response(body=b"<html><body>404</body></html>", status=404, kind="text/html"))
        if not self._cursor:
            found = {name: block for name, block in found.items() if name != "candles.cursor"}
        body = json.dumps(document(befalls.finds(found, query), query), ensure_ascii=False)
        return befalls.sends(Response(body=body.encode()))

    def _noted(self, request: Request, now: datetime) -> Fault | None:
        """Log *request*, and give the fault that is planned for it."""
        seen = Asked(at=now, at_s=time.monotonic(), path=request.path, query=request.query, headers=request.headers)
        with self._changed:
            self._asked.append(seen)
            self._changed.notify_all()
            planned = next((each for each in self._plan if each.path in request.path), None)
            if planned is not None and planned.times is not None:
                planned.times -= 1
                if planned.times < 1:
                    self._plan.remove(planned)
        return planned.fault if planned is not None else None


def _fault_in(path: str) -> tuple[str, Fault | None]:
    """The documented part of *path*, and the fault that stands before it or in place of a ticker."""
    before, _, documented = path.partition(f"/{ROOT}/")
    parts = documented.split("/")
    for place, part in enumerate(parts):
        if (found := fault(part.removesuffix(".json"))) is not None:
            parts[place] = VICTIM + part.removeprefix(part.removesuffix(".json"))
            return "/" + "/".join(parts), found
    return f"/{documented}", fault(before.removeprefix("/"))
