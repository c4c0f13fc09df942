"""Declaration of risk-mcp.

Limits of portfolios, checked before an order is sent, from PostgreSQL.

Generated from contracts/platform/risk.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol

from generated.dialects import PLATFORM
from generated.platform import errors
from generated.platform.risk import models, schemas
from toolaccord import Caller, IdempotencyKey, Publisher
from toolaccord.contract.policies import CachePolicy, Idempotency, RateLimit, When
from toolaccord.contract.settings import Setting
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.events import Event
from toolaccord.declarations.operation import OlderVersion
from toolaccord.declarations.tool import Server, Tool
from toolaccord.declarations.views import ViewFile
from toolaccord.semantics.version_steps import add, move
from toolaccord.sources.nats import Nats, NatsSource
from toolaccord.sources.postgresql import Postgresql, PostgresqlSource
from toolaccord.sources.redis import RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskCall:
    """Sources, settings and time that a handler of risk-mcp gets with a request."""

    postgres: Postgresql
    stream: Nats
    risk_alert: Publisher[models.RiskAlert]
    """A portfolio violates a limit, or is about to."""
    now: datetime
    """Time of the call, in UTC."""
    caller: Caller | None = None
    """Caller that a token proves; None on stdio, and for a server without tokens."""
    idempotency: IdempotencyKey | None
    """Idempotency key of the call; None if it has none."""


class RiskPositionLimitsCheckCall(Protocol):
    """Members of RiskCall for risk.position_limits_check.

    Its `effects` in the contract name them.
    """

    @property
    def postgres(self) -> Postgresql:
        """The source postgres."""

    @property
    def now(self) -> datetime:
        """Time of the call, in UTC."""

    @property
    def caller(self) -> Caller | None:
        """Caller that a token proves; None on stdio, and for a server without tokens."""


class RiskTriggerAlertCall(Protocol):
    """Members of RiskCall for risk.trigger_alert; its `effects` in the contract name them."""

    @property
    def stream(self) -> Nats:
        """The source stream."""

    @property
    def risk_alert(self) -> Publisher[models.RiskAlert]:
        """A portfolio violates a limit, or is about to."""

    @property
    def now(self) -> datetime:
        """Time of the call, in UTC."""

    @property
    def caller(self) -> Caller | None:
        """Caller that a token proves; None on stdio, and for a server without tokens."""

    @property
    def idempotency(self) -> IdempotencyKey | None:
        """Idempotency key of the call; None if it has none."""


class Handlers(Protocol):
    """Coroutines of risk-mcp.

    The module `handlers.platform.risk` implements them.
    """

    async def risk_position_limits_check(
        self, request: models.RiskPositionLimitsCheckRequest, call: RiskCall, /
    ) -> models.RiskPositionLimitsCheckResult:
        """Check an order against the limits of its portfolio.

        An order that reduces a limited value is never rejected for that limit.
        """

    async def risk_trigger_alert(
        self, request: models.RiskTriggerAlertRequest, call: RiskCall, /
    ) -> models.RiskTriggerAlertResult:
        """Publish a risk alert for downstream systems; it is stored when the call succeeds.

        Equal alerts of a caller within an hour are published once.
        """

    async def direction_of_side(self, value: Any, call: RiskCall, /) -> Any:
        """Map an argument's value of risk.position_limits_check 1.1.0 to the next version."""


def server(handlers: Handlers) -> Server[RiskCall]:
    """Bind the tools of risk-mcp to *handlers*."""
    return Server(
        name="risk-mcp",
        title="Risk",
        version="2.2.1",
        description="Limits of portfolios, checked before an order is sent, from PostgreSQL.",
        instructions=(
            "Call risk.position_limits_check before every order, and order at most "
            "max_quantity. Results are cached for a minute; force_refresh bypasses the cache."
        ),
        dialect=PLATFORM,
        settings=(
            Setting(
                name="risk_database_url",
                env="RISK_DATABASE_URL",
                description="PostgreSQL with limits, positions and prices, postgresql://user:password@host:port/database",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
            Setting(
                name="redis_url",
                env="REDIS_URL",
                description="Redis in which replicas share cached results, redis://user:password@host:port/0",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
            Setting(
                name="nats_url",
                env="NATS_URL",
                description="Address of NATS with JetStream: nats://token@host:4222,host:4222, or tls:// for TLS",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
        ),
        sources=(
            PostgresqlSource(
                name="postgres",
                url="risk_database_url",
                min_connections=2,
                connection_timeout_s=0.08,
                system="platform",
                tables=("instrument_prices", "instruments", "portfolio_limits", "portfolio_positions"),
            ),
            RedisSource(
                name="state",
                url="redis_url",
                max_connections=20,
                connection_timeout_s=0.02,
                timeout_s=0.02,
                retries=1,
            ),
            NatsSource(name="stream", url="nats_url", connection_timeout_s=0.05, timeout_s=0.1),
        ),
        call=RiskCall,
        tools=(
            Tool(
                name="risk.position_limits_check",
                request=models.RiskPositionLimitsCheckRequest,
                parameters=schemas.RISK_POSITION_LIMITS_CHECK_PARAMETERS,
                returns=schemas.RISK_POSITION_LIMITS_CHECK_RETURNS,
                handler=handlers.risk_position_limits_check,
                timeout_ms=100,
                reads=("postgres",),
                errors=(
                    DeclaredError(errors.InvalidArguments),
                    DeclaredError(errors.MissingConfiguration),
                ),
                cache=CachePolicy(ttl_s=60, bypass="force_refresh", store="state", memory_ttl_s=1),
                rate_limit=RateLimit(calls=500, window_s=60, store="state"),
                version="2.1.1",
                versions=(
                    OlderVersion(
                        version="1.1.0",
                        parameters=schemas.RISK_POSITION_LIMITS_CHECK_PARAMETERS_1_1_0,
                        returns=schemas.RISK_POSITION_LIMITS_CHECK_RETURNS_1_1_0,
                        parameter_steps=(
                            move("/strategy", "/portfolio_id"),
                            move("/instrument", "/symbol"),
                            move("/qty", "/quantity"),
                            move("/side", "/direction", lookup=handlers.direction_of_side),
                            add("/force_refresh", False),
                        ),
                        result_steps=(
                            move("/max_qty", "/max_quantity"),
                            move("/risk_metrics/strategy_exposure", "/risk_metrics/portfolio_exposure"),
                        ),
                    ),
                    OlderVersion(
                        version="1.0.0",
                        deprecated_on=date(2026, 11, 20),
                        sunset_on=date(2027, 1, 19),
                        parameters=schemas.RISK_POSITION_LIMITS_CHECK_PARAMETERS_1_0_0,
                        returns=schemas.RISK_POSITION_LIMITS_CHECK_RETURNS_1_0_0,
                        parameter_steps=(),
                        result_steps=(),
                    ),
                ),
                title="Check position limits",
                description=(
                    "Check an order against the limits of its portfolio; an order that reduces a "
                    "limited value is never rejected for that limit"
                ),
                view=ViewFile("generated.platform.risk", "risk_position_limits_check.json"),
            ),
            Tool(
                name="risk.trigger_alert",
                request=models.RiskTriggerAlertRequest,
                parameters=schemas.RISK_TRIGGER_ALERT_PARAMETERS,
                returns=schemas.RISK_TRIGGER_ALERT_RETURNS,
                handler=handlers.risk_trigger_alert,
                timeout_ms=200,
                writes=("stream",),
                publishes=("risk_alert",),
                errors=(DeclaredError(errors.BackendUnavailable, When(occasion="source")),),
                idempotency=Idempotency(key_from=("request", "derived"), window_s=3600, store="state"),
                rate_limit=RateLimit(calls=100, window_s=60, store="state"),
                version="1.1.1",
                title="Trigger a risk alert",
                description=(
                    "Publish a risk alert for downstream systems; it is stored when the call "
                    "succeeds. Equal alerts of a caller within an hour are published once"
                ),
                adds=("stream",),
            ),
        ),
        events=(Event(name="risk_alert", source="stream", subject="risk.alerts", payload=schemas.RISK_ALERT_PAYLOAD),),
    )
