"""Typed client of desk-mcp.

Generated from tests/toolpact/contracts/demo/desk.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from tests.toolpact.generated import dialects
from tests.toolpact.generated.demo.desk import models
from toolpact.client.base import CallOptions, ServerClient
from toolpact.client.declarations import RemoteServer, RemoteTool

WAIT: Final = RemoteTool(
    name="wait",
    request=models.WaitRequest,
    result=models.WaitResult,
    errors=(),
    timeout_s=60.0,
    nullable_arguments=False,
)
"""Wait until the caller cancels the call."""


class DeskClient(ServerClient):
    """Client of desk-mcp.

    A desk that books trips, and lets its callers wait.
    """

    _server: ClassVar = RemoteServer(
        name="desk-mcp",
        module="tests.toolpact.generated.demo.desk",
        dialect=dialects.PLATFORM,
    )

    async def wait(self, request: models.WaitRequest, **options: Unpack[CallOptions]) -> models.WaitResult:
        """Wait until the caller cancels the call."""
        return (await self.call(WAIT, request, **options)).result
