"""Declaration of alarm-mcp.

Alarms for whoever listens.

Generated from tests/toolaccord/contracts/demo/alarm.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tests.toolaccord.generated.demo.alarm import models, schemas
from tests.toolaccord.generated.dialects import LEDGER
from toolaccord import IdempotencyKey, Publisher
from toolaccord.declarations.tool import Event, Server, Tool
from toolaccord.semantics.policies import Idempotency
from toolaccord.semantics.settings import Setting
from toolaccord.sources.nats import Nats, NatsSource
from toolaccord.sources.redis import Redis, RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmCall:
    """Sources, settings and time that a handler of alarm-mcp gets with a request."""

    stream: Nats
    state: Redis
    fire: Publisher[models.Fire]
    """Something burns."""
    bell: Publisher[list[str]]
    """Somebody rang the bell."""
    siren: Publisher[models.Siren]
    """A siren howls, for listeners in Lisp."""
    now: datetime
    """Time of the call, in UTC."""
    idempotency: IdempotencyKey | None
    """Idempotency key of the call; None if it has none."""


class Handlers(Protocol):
    """One coroutine for each tool, implemented in `tests.toolaccord.demo.alarm`."""

    async def raise_alarm(self, request: models.RaiseAlarmRequest, call: AlarmCall, /) -> models.RaiseAlarmResult:
        """Raise an alarm."""


def server(handlers: Handlers) -> Server[AlarmCall]:
    """Bind the tools of alarm-mcp to *handlers*."""
    return Server(
        name="alarm-mcp",
        title="Alarm",
        version="1.0.0",
        description="Alarms for whoever listens.",
        instructions=None,
        dialect=LEDGER,
        settings=(
            Setting(
                name="nats_url",
                env="NATS_URL",
                description="where alarms are stored",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
            Setting(
                name="redis_url",
                env="REDIS_URL",
                description="where alarms are heard",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
        ),
        sources=(
            NatsSource(
                name="stream",
                url="nats_url",
                connection_timeout_s=5,
                timeout_s=5,
                max_outstanding=100,
                max_pending_bytes=1048576,
            ),
            RedisSource(
                name="state",
                url="redis_url",
                max_connections=5,
                connection_timeout_s=5,
                timeout_s=5,
            ),
        ),
        events=(
            Event(
                name="fire",
                source="stream",
                subject="alarms.fire",
                payload=schemas.FIRE_PAYLOAD,
                nullable=False,
            ),
            Event(
                name="bell",
                source="state",
                channel="alarms:bell",
                duplicate_window_s=3600,
                payload=schemas.BELL_PAYLOAD,
                nullable=False,
            ),
            Event(
                name="siren",
                source="state",
                channel="alarms:siren",
                payload=schemas.SIREN_PAYLOAD,
                nullable=False,
                encoding="s_expression",
                symbols=("/tone",),
            ),
        ),
        call=AlarmCall,
        handler_settings=None,
        tools=(
            Tool(
                name="raise_alarm",
                title=None,
                version="1.0.0",
                description="Raise an alarm",
                reads=(),
                writes=("stream", "state"),
                request=models.RaiseAlarmRequest,
                parameters=schemas.RAISE_ALARM_PARAMETERS,
                returns=schemas.RAISE_ALARM_RETURNS,
                output=schemas.RAISE_ALARM_OUTPUT,
                errors=(),
                conditions=(),
                cache=None,
                idempotency=Idempotency(key_from=("request",), window_s=3600, store="state"),
                paginated=False,
                timeout_ms=20000,
                nullable_results=False,
                handler=handlers.raise_alarm,
            ),
        ),
    )
