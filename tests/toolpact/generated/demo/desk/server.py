"""Declaration of desk-mcp.

A desk that books trips, and lets its callers wait.

Generated from tests/toolpact/contracts/demo/desk.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tests.toolpact.generated.demo.desk import models, schemas
from tests.toolpact.generated.dialects import PLATFORM
from toolpact.declarations.tool import Server, Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskCall:
    """Sources, settings and time that a handler of desk-mcp gets with a request."""

    now: datetime
    """Time of the call, in UTC."""


class Handlers(Protocol):
    """One coroutine for each tool, implemented in `tests.toolpact.demo.desk`."""

    async def wait(self, request: models.WaitRequest, call: DeskCall, /) -> models.WaitResult:
        """Wait until the caller cancels the call."""


def server(handlers: Handlers) -> Server[DeskCall]:
    """Bind the tools of desk-mcp to *handlers*."""
    return Server(
        name="desk-mcp",
        title="Desk",
        version="1.0.0",
        description="A desk that books trips, and lets its callers wait.",
        instructions=None,
        dialect=PLATFORM,
        settings=(),
        sources=(),
        sessions=True,
        call=DeskCall,
        handler_settings=None,
        tools=(
            Tool(
                name="wait",
                title=None,
                version="1.0.0",
                description="Wait until the caller cancels the call",
                reads=(),
                writes=(),
                request=models.WaitRequest,
                parameters=schemas.WAIT_PARAMETERS,
                returns=schemas.WAIT_RETURNS,
                output=schemas.WAIT_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=60000,
                nullable_results=False,
                handler=handlers.wait,
            ),
        ),
    )
