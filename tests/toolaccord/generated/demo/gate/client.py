"""Typed client of gate-mcp.

Generated from tests/toolaccord/contracts/demo/gate.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from tests.toolaccord.generated import dialects
from tests.toolaccord.generated.demo.gate import models, schemas
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import RemoteServer, RemoteTool

KNOCK: Final = RemoteTool(
    name="knock",
    request=models.KnockRequest,
    result=models.KnockResult,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.KNOCK_PARAMETERS,
    version="1.0.0",
)
"""Knock at the gate."""

RING: Final = RemoteTool(
    name="ring",
    request=models.RingRequest,
    result=models.RingResult,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.RING_PARAMETERS,
    version="1.0.0",
)
"""Ring the bell."""

WAVE: Final = RemoteTool(
    name="wave",
    request=models.WaveRequest,
    result=models.WaveResult,
    errors=(),
    timeout_s=5.0,
    nullable_arguments=False,
    parameters=schemas.WAVE_PARAMETERS,
    version="1.0.0",
)
"""Wave from afar."""


class GateClient(ServerClient):
    """Client of gate-mcp.

    A gate that admits each visitor a few times.
    """

    _server: ClassVar = RemoteServer(
        name="gate-mcp",
        module="tests.toolaccord.generated.demo.gate",
        dialect=dialects.PLATFORM,
    )

    async def knock(self, request: models.KnockRequest, **options: Unpack[CallOptions]) -> models.KnockResult:
        """Knock at the gate."""
        return (await self.call(KNOCK, request, **options)).result

    async def ring(self, request: models.RingRequest, **options: Unpack[CallOptions]) -> models.RingResult:
        """Ring the bell."""
        return (await self.call(RING, request, **options)).result

    async def wave(self, request: models.WaveRequest, **options: Unpack[CallOptions]) -> models.WaveResult:
        """Wave from afar."""
        return (await self.call(WAVE, request, **options)).result
