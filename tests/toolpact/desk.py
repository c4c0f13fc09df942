"""Book trips, and let callers wait.

`contracts/demo/desk.json` declares the server. `python -m tests.toolpact.desk` serves it.
"""

from __future__ import annotations

import asyncio
import logging

from tests.toolpact.generated.demo.desk.models import WaitRequest, WaitResult
from tests.toolpact.generated.demo.desk.server import DeskCall, server
from toolpact.server.main import run

_LOG = logging.getLogger(__name__)


class Clerk:
    """The handlers."""

    async def wait(self, request: WaitRequest, _call: DeskCall, /) -> WaitResult:
        _LOG.info("%s waits", request.name)
        try:
            await asyncio.Event().wait()
        finally:
            _LOG.info("%s left", request.name)
        raise AssertionError


if __name__ == "__main__":
    raise SystemExit(run(server(Clerk())))
