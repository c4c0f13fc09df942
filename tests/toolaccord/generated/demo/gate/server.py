"""Declaration of gate-mcp.

A gate that admits each visitor a few times.

Generated from tests/toolaccord/contracts/demo/gate.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tests.toolaccord.generated.demo.gate import models, schemas
from tests.toolaccord.generated.dialects import PLATFORM
from toolaccord.declarations.tool import Server, Tool
from toolaccord.semantics.policies import RateLimit
from toolaccord.semantics.settings import Setting
from toolaccord.sources.redis import Redis, RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCall:
    """Sources, settings and time that a handler of gate-mcp gets with a request."""

    state: Redis
    now: datetime
    """Time of the call, in UTC."""


class Handlers(Protocol):
    """One coroutine for each tool, implemented in `tests.toolaccord.demo.gate`."""

    async def knock(self, request: models.KnockRequest, call: GateCall, /) -> models.KnockResult:
        """Knock at the gate."""

    async def ring(self, request: models.RingRequest, call: GateCall, /) -> models.RingResult:
        """Ring the bell."""

    async def wave(self, request: models.WaveRequest, call: GateCall, /) -> models.WaveResult:
        """Wave from afar."""


def server(handlers: Handlers) -> Server[GateCall]:
    """Bind the tools of gate-mcp to *handlers*."""
    return Server(
        name="gate-mcp",
        title="Gate",
        version="1.0.0",
        description="A gate that admits each visitor a few times.",
        instructions=None,
        dialect=PLATFORM,
        settings=(
            Setting(
                name="redis_url",
                env="REDIS_URL",
                description="where the calls are counted",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
        ),
        sources=(
            RedisSource(
                name="state",
                url="redis_url",
                max_connections=20,
                connection_timeout_s=0.5,
                timeout_s=0.5,
            ),
        ),
        call=GateCall,
        handler_settings=None,
        tools=(
            Tool(
                name="knock",
                title=None,
                version="1.0.0",
                description="Knock at the gate",
                reads=(),
                writes=(),
                request=models.KnockRequest,
                parameters=schemas.KNOCK_PARAMETERS,
                returns=schemas.KNOCK_RETURNS,
                output=schemas.KNOCK_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                rate_limit=RateLimit(calls=3, window_s=60),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.knock,
            ),
            Tool(
                name="ring",
                title=None,
                version="1.0.0",
                description="Ring the bell",
                reads=(),
                writes=(),
                request=models.RingRequest,
                parameters=schemas.RING_PARAMETERS,
                returns=schemas.RING_RETURNS,
                output=schemas.RING_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                rate_limit=RateLimit(calls=3, window_s=60, store="state"),
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.ring,
            ),
            Tool(
                name="wave",
                title=None,
                version="1.0.0",
                description="Wave from afar",
                reads=(),
                writes=(),
                request=models.WaveRequest,
                parameters=schemas.WAVE_PARAMETERS,
                returns=schemas.WAVE_RETURNS,
                output=schemas.WAVE_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                paginated=False,
                timeout_ms=5000,
                nullable_results=False,
                handler=handlers.wave,
            ),
        ),
    )
