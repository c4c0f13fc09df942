"""Greet visitors, each a few times a minute.

`contracts/demo/gate.json` declares the server. `python -m tests.toolaccord.demo.gate` serves it.
"""

from __future__ import annotations

from tests.toolaccord.generated.demo.gate.models import (
    KnockRequest,
    KnockResult,
    RingRequest,
    RingResult,
    WaveRequest,
    WaveResult,
)
from tests.toolaccord.generated.demo.gate.server import GateCall, server
from toolaccord.server.main import run


class Porter:
    """The handlers."""

    async def knock(self, request: KnockRequest, _call: GateCall, /) -> KnockResult:
        return KnockResult(greeting=f"Hello {request.name}")

    async def ring(self, request: RingRequest, _call: GateCall, /) -> RingResult:
        return RingResult(greeting=f"Hello {request.name}")

    async def wave(self, request: WaveRequest, _call: GateCall, /) -> WaveResult:
        return WaveResult(greeting=f"Hello {request.name}")


if __name__ == "__main__":
    raise SystemExit(run(server(Porter())))
