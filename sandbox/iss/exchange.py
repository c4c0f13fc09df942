"""The control of the stand-in: its received requests and planned faults."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from sandbox.http_service import Request, Response, Service
from sandbox.iss.faults import Fault, find_fault
from sandbox.iss.moment import Moment
from sandbox.iss.service import answer
from sandbox.iss.sessions import MOSCOW
from sandbox.iss.tables import render_document

FAULTY_TICKER = "SBER"
"""The share in the answer where a fault's name replaces the ticker."""
ROOT = "iss"
NO_FAULT = Fault()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedRequest:
    """A received request."""

    at: datetime
    """The stand-in's time, in UTC."""
    at_s: float
    """The time by time.monotonic, in seconds."""
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """By name in lower case."""


@dataclass(slots=True)
class _PlannedFault:
    """A fault of the next *times* requests whose path contains *path*; of all if that is None."""

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
        self._plan: list[_PlannedFault] = []
        self._received: list[ReceivedRequest] = []

    @property
    def url(self) -> str:
        """The base URL of the documented paths."""
        return f"http://127.0.0.1:{self._service.port}/{ROOT}"

    @property
    def requests(self) -> list[ReceivedRequest]:
        """The received requests, in order."""
        with self._changed:
            return list(self._received)

    @property
    def peak_connections(self) -> int:
        """The largest number of simultaneous connections."""
        return self._service.peak_connections

    @property
    def active_requests(self) -> int:
        """The number of requests that are being answered, without those that never will be."""
        return self._service.active_requests

    def wait_for_requests(self, count: int, timeout_s: float = 20) -> None:
        """Block until there were *count* requests. Raises TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._received) >= count, timeout_s):
                raise TimeoutError(f"{len(self._received)} requests instead of {count}")

    def fail(self, name: str, *, times: int | None = None, path: str = "") -> None:
        """Plan the fault *name* for the next *times* requests whose path contains *path*.

        Without *times* it applies to all of them. The oldest planned fault of a request applies. Raises ValueError for
        an unknown name.
        """
        found = find_fault(name)
        if found is None:
            raise ValueError(f"There is no fault {name}.")
        with self._changed:
            self._plan.append(_PlannedFault(found, path, times))

    def recover(self) -> None:
        """Remove the planned faults."""
        with self._changed:
            self._plan.clear()

    @contextlib.contextmanager
    def unreachable(self) -> Iterator[None]:
        """Close the port and its connections, and open it again at the end."""
        self._service.close()
        try:
            yield
        finally:
            self._service.open()

    @contextlib.contextmanager
    def running(self) -> Iterator["Exchange"]:
        """Serve; open requests are aborted at the end."""
        with self._service.running():
            yield self

    def _answer(self, request: Request) -> Response:
        now = self._now()
        path, in_path = _find_fault(request.path)
        active_fault = self._record(request, now) or in_path or NO_FAULT
        query = active_fault.change_query(request.query)
        moment = Moment(now.astimezone(MOSCOW).replace(tzinfo=None))
        found = answer(path, query, moment, self._members) if request.method == "GET" else None
        if found is None:
            return active_fault.change_response(
                Response(body=b"<html><body>404</body></html>", status=404, kind="text/html")
            )
        if not self._cursor:
            found = {name: block for name, block in found.items() if name != "candles.cursor"}
        body = json.dumps(render_document(active_fault.change_blocks(found, query), query), ensure_ascii=False)
        return active_fault.change_response(Response(body=body.encode()))

    def _record(self, request: Request, now: datetime) -> Fault | None:
        """Record *request*, and return the fault that is planned for it."""
        seen = ReceivedRequest(
            at=now, at_s=time.monotonic(), path=request.path, query=request.query, headers=request.headers
        )
        with self._changed:
            self._received.append(seen)
            self._changed.notify_all()
            planned = next((each for each in self._plan if each.path in request.path), None)
            if planned is not None and planned.times is not None:
                planned.times -= 1
                if planned.times < 1:
                    self._plan.remove(planned)
        return planned.fault if planned is not None else None


def _find_fault(path: str) -> tuple[str, Fault | None]:
    """Return the documented part of *path*, and the fault before it or in place of a ticker."""
    before, _, documented = path.partition(f"/{ROOT}/")
    parts = documented.split("/")
    for place, part in enumerate(parts):
        if (found := find_fault(part.removesuffix(".json"))) is not None:
            parts[place] = FAULTY_TICKER + part.removeprefix(part.removesuffix(".json"))
            return "/" + "/".join(parts), found
    return f"/{documented}", find_fault(before.removeprefix("/"))
