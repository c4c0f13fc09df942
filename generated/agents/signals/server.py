"""Declaration of signal-mcp.

Publishes raw signals to Redis, for models that generate them in a host.

Generated from contracts/agents/signals.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from generated.agents import errors
from generated.agents.signals import models, schemas
from generated.dialects import TRADESTREAM
from toolpact import IdempotencyKey, Publisher
from toolpact.declarations.settings import Setting
from toolpact.declarations.tool import (
    DeclaredError,
    Event,
    Idempotency,
    On,
    Server,
    Tool,
)
from toolpact.sources.redis import Redis, RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalsCall:
    """Sources, settings and time that a handler of signal-mcp gets with a request."""

    bus: Redis
    raw_signal: Publisher[models.RawSignal]
    """A signal for downstream processing."""
    now: datetime
    """Time of the call, in UTC."""
    idempotency: IdempotencyKey | None
    """Idempotency key of the call; None if it has none."""


class Handlers(Protocol):
    """One coroutine for each tool, implemented in `handlers.agents.signals`."""

    async def publish_signal(
        self, request: models.PublishSignalRequest, call: SignalsCall, /
    ) -> models.PublishSignalResult:
        """Publish a raw signal to Redis channel:raw-signals, for current subscribers."""


def server(handlers: Handlers) -> Server[SignalsCall]:
    """Bind the tools of signal-mcp to *handlers*."""
    return Server(
        name="signal-mcp",
        title="Raw signals",
        version="2.1.0",
        description="Publishes raw signals to Redis, for models that generate them in a host.",
        instructions=(
            "Call publish_signal once for each signal. A call repeated with the same signal publishes nothing again."
        ),
        dialect=TRADESTREAM,
        settings=(
            Setting(
                name="redis_url",
                env="REDIS_URL",
                description="Redis that carries the signals, redis://host:6379/0",
                schema={"type": "string"},
                default=None,
                required=True,
                secret=True,
            ),
        ),
        sources=(
            RedisSource(
                name="bus",
                url="redis_url",
                max_connections=10,
                connection_timeout_s=1,
                timeout_s=1,
                retries=1,
            ),
        ),
        events=(
            Event(
                name="raw_signal",
                source="bus",
                channel="channel:raw-signals",
                duplicate_window_s=3600,
                payload=schemas.RAW_SIGNAL_PAYLOAD,
                nullable=False,
            ),
        ),
        call=SignalsCall,
        handler_settings=None,
        tools=(
            Tool(
                name="publish_signal",
                title="Publish a signal",
                version="1.2.0",
                description="Publish a raw signal to Redis channel:raw-signals, for current subscribers",
                reads=(),
                writes=("bus",),
                adds=("bus",),
                request=models.PublishSignalRequest,
                parameters=schemas.PUBLISH_SIGNAL_PARAMETERS,
                returns=schemas.PUBLISH_SIGNAL_RETURNS,
                output=schemas.PUBLISH_SIGNAL_OUTPUT,
                errors=(DeclaredError(errors.DatabaseError, when=On("source")),),
                conditions=(),
                cache=None,
                idempotency=Idempotency(key_from=("request", "derived"), window_s=3600, store="bus"),
                paginated=False,
                timeout_ms=3000,
                nullable_results=False,
                handler=handlers.publish_signal,
            ),
        ),
    )
