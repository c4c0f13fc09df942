"""The sandbox's stand-in of ISS, with its received requests and planned faults."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from sandbox import iss
from sandbox.http_service import Request, Response
from sandbox.iss.faults import Fault, find_fault


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


class Exchange(iss.Exchange):
    """A stand-in that records its requests, and fails when a test wants it to."""

    def __init__(self, now: Callable[[], datetime], *, port: int = 0, members: int = 50, cursor: bool = False) -> None:
        super().__init__(now, port=port, members=members, cursor=cursor)
        self._changed = threading.Condition()
        self._plan: list[_PlannedFault] = []
        self._received: list[ReceivedRequest] = []

    @property
    def requests(self) -> list[ReceivedRequest]:
        """The received requests, in order."""
        with self._changed:
            return list(self._received)

    @property
    def peak_connections(self) -> int:
        """The largest number of simultaneous connections."""
        return self.service.peak_connections

    @property
    def active_requests(self) -> int:
        """The number of requests that are being answered, without those that never will be."""
        return self.service.active_requests

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
        self.service.close()
        try:
            yield
        finally:
            self.service.open()

    def answer(self, request: Request, fault: Fault | None = None) -> Response:
        """Record *request*, and answer it with the fault that is planned for it."""
        return super().answer(request, self._record(request) or fault)

    def _record(self, request: Request) -> Fault | None:
        seen = ReceivedRequest(
            at=self.now(), at_s=time.monotonic(), path=request.path, query=request.query, headers=request.headers
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
