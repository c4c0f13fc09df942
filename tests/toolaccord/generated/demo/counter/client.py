"""Typed client of counter-mcp.

Generated from tests/toolaccord/contracts/demo/counter.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from tests.toolaccord.generated import dialects
from tests.toolaccord.generated.demo.counter import models, schemas
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import RemoteServer, RemoteTool

COUNT: Final = RemoteTool(
    name="count",
    request=models.CountRequest,
    result=models.CountResult,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.COUNT_PARAMETERS,
    version="1.0.0",
)
"""Count aloud."""

COUNT_SILENTLY: Final = RemoteTool(
    name="count_silently",
    request=models.CountSilentlyRequest,
    result=models.CountSilentlyResult,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.COUNT_SILENTLY_PARAMETERS,
    version="1.0.0",
)
"""Count aloud."""


class CounterClient(ServerClient):
    """Client of counter-mcp.

    Counts.
    """

    _server: ClassVar = RemoteServer(
        name="counter-mcp",
        module="tests.toolaccord.generated.demo.counter",
        dialect=dialects.LIBRARY,
    )

    async def count(self, request: models.CountRequest, **options: Unpack[CallOptions]) -> models.CountResult:
        """Count aloud."""
        return (await self.call(COUNT, request, **options)).result

    async def count_silently(
        self, request: models.CountSilentlyRequest, **options: Unpack[CallOptions]
    ) -> models.CountSilentlyResult:
        """Count aloud."""
        return (await self.call(COUNT_SILENTLY, request, **options)).result
