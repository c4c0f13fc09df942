"""The stand-in of ISS: answers over HTTP, with the faults that a path names."""

import contextlib
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Self

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


class Exchange:
    """A stand-in of ISS on a port of 127.0.0.1."""

    def __init__(self, now: Callable[[], datetime], *, port: int = 0, members: int = 50, cursor: bool = False) -> None:
        self.now = now
        self._members = members
        self._cursor = cursor
        self.service = Service(self.answer, port)

    @property
    def url(self) -> str:
        """The base URL of the documented paths."""
        return f"http://127.0.0.1:{self.service.port}/{ROOT}"

    @contextlib.contextmanager
    def running(self) -> Iterator[Self]:
        """Serve; open requests are aborted at the end."""
        with self.service.running():
            yield self

    def answer(self, request: Request, fault: Fault | None = None) -> Response:
        """Return the response to *request*, with *fault* or with the one that the path names."""
        path, in_path = _find_fault(request.path)
        active_fault = fault or in_path or NO_FAULT
        query = active_fault.change_query(request.query)
        moment = Moment(self.now().astimezone(MOSCOW).replace(tzinfo=None))
        found = answer(path, query, moment, self._members) if request.method == "GET" else None
        if found is None:
            return active_fault.change_response(
                Response(body=b"<html><body>404</body></html>", status=404, kind="text/html")
            )
        if not self._cursor:
            found = {name: block for name, block in found.items() if name != "candles.cursor"}
        body = json.dumps(render_document(active_fault.change_blocks(found, query), query), ensure_ascii=False)
        return active_fault.change_response(Response(body=body.encode()))


def _find_fault(path: str) -> tuple[str, Fault | None]:
    """Return the documented part of *path*, and the fault before it or in place of a ticker."""
    before, _, documented = path.partition(f"/{ROOT}/")
    parts = documented.split("/")
    for place, part in enumerate(parts):
        if (found := find_fault(part.removesuffix(".json"))) is not None:
            parts[place] = FAULTY_TICKER + part.removeprefix(part.removesuffix(".json"))
            return "/" + "/".join(parts), found
    return f"/{documented}", find_fault(before.removeprefix("/"))
