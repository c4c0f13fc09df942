"""Declaration of signal-mcp.

Collects the evidence behind a signal, and publishes signals with the words of a model in a host.

Generated from contracts/agents/signals.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from generated.agents import errors
from generated.agents.signals import models, schemas
from generated.dialects import TRADESTREAM
from toolaccord import Caller, IdempotencyKey, Publisher
from toolaccord.contract.policies import Idempotency, RateLimit, When
from toolaccord.contract.settings import Setting
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.events import Event
from toolaccord.declarations.operation import OlderVersion
from toolaccord.declarations.tool import Server, Tool
from toolaccord.declarations.views import ViewFile
from toolaccord.semantics.version_steps import add, drop, move
from toolaccord.sources.redis import Redis, RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalsSettings:
    """Settings of the handlers, from the environment."""

    strategy_url: str
    """URL of strategy-mcp, http://host:8080/mcp; not set, the server starts it."""
    strategy_token: str
    """Bearer token for STRATEGY_MCP_URL."""
    strategy_command: str
    """Command that starts strategy-mcp; not set, Python runs its module."""
    market_data_url: str
    """URL of market-data-mcp, http://host:8080/mcp; not set, the server starts it."""
    market_data_token: str
    """Bearer token for MARKET_DATA_MCP_URL."""
    market_data_command: str
    """Command that starts market-data-mcp; not set, Python runs its module."""
    max_strategies: int
    """Number of top strategies behind a signal."""
    database_url: str
    """PostgreSQL of a strategy-mcp that the server starts."""
    signal_max_age_s: str
    """Age in seconds beyond which a strategy-mcp that the server starts takes no signal."""
    influxdb_url: str
    """InfluxDB of a market-data-mcp that the server starts."""
    influxdb_token: str
    """Token for INFLUXDB_URL."""
    influxdb_org: str
    """Organisation at INFLUXDB_URL."""
    influxdb_bucket: str
    """Bucket at INFLUXDB_URL."""
    influxdb_query_language: str
    """Query language of INFLUXDB_URL."""
    price_max_age_s: str
    """Age in seconds above which a market-data-mcp that the server starts finds a price stale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalsCall:
    """Sources, settings and time that a handler of signal-mcp gets with a request."""

    bus: Redis
    raw_signal: Publisher[models.RawSignal]
    """A signal for downstream processing."""
    settings: SignalsSettings
    now: datetime
    """Time of the call, in UTC."""
    caller: Caller | None = None
    """Caller that a token proves; None on stdio, and for a server without tokens."""
    idempotency: IdempotencyKey | None
    """Idempotency key of the call; None if it has none."""


class CollectEvidenceCall(Protocol):
    """Members of SignalsCall for collect_evidence; its `effects` in the contract name them."""

    @property
    def bus(self) -> Redis:
        """The source bus."""

    @property
    def settings(self) -> SignalsSettings:
        """Settings of the handlers."""

    @property
    def now(self) -> datetime:
        """Time of the call, in UTC."""

    @property
    def caller(self) -> Caller | None:
        """Caller that a token proves; None on stdio, and for a server without tokens."""


class Handlers(Protocol):
    """Coroutines of signal-mcp.

    The module `handlers.agents.signals` implements them.
    """

    async def collect_evidence(
        self, request: models.CollectEvidenceRequest, call: SignalsCall, /
    ) -> models.CollectEvidenceResult:
        """Collect evidence.

        Call strategy-mcp and market-data-mcp for a symbol, compute its signal, and keep it for 5 minutes for
        publish_signal.
        """

    async def publish_signal(
        self, request: models.PublishSignalRequest, call: SignalsCall, /
    ) -> models.PublishSignalResult:
        """Publish a signal.

        Publish the signal that follows from evidence, with your reasoning, to Redis channel:raw-signals, for current
        subscribers.
        """


def server(handlers: Handlers) -> Server[SignalsCall]:
    """Bind the tools of signal-mcp to *handlers*."""
    return Server(
        name="signal-mcp",
        title="Raw signals",
        version="2.1.1",
        description="Collects the evidence behind a signal, and publishes signals with the words of a model in a host.",
        instructions=(
            "Call collect_evidence for a symbol, write the reasoning from its result alone, "
            "and call publish_signal with the evidence_id. The server computes action, "
            "confidence and counts. Words that the evidence does not support are rejected: "
            "write them again."
        ),
        dialect=TRADESTREAM,
        settings=(
            Setting(
                name="redis_url",
                env="REDIS_URL",
                description="Redis that carries the signals and keeps evidence, redis://host:6379/0",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
            Setting(
                name="strategy_url",
                env="STRATEGY_MCP_URL",
                description="URL of strategy-mcp, http://host:8080/mcp; not set, the server starts it",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="strategy_token",
                env="STRATEGY_MCP_TOKEN",
                description="Bearer token for STRATEGY_MCP_URL",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
            Setting(
                name="strategy_command",
                env="STRATEGY_MCP_COMMAND",
                description="Command that starts strategy-mcp; not set, Python runs its module",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="market_data_url",
                env="MARKET_DATA_MCP_URL",
                description="URL of market-data-mcp, http://host:8080/mcp; not set, the server starts it",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="market_data_token",
                env="MARKET_DATA_MCP_TOKEN",
                description="Bearer token for MARKET_DATA_MCP_URL",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
            Setting(
                name="market_data_command",
                env="MARKET_DATA_MCP_COMMAND",
                description="Command that starts market-data-mcp; not set, Python runs its module",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="max_strategies",
                env="SIGNAL_MAX_STRATEGIES",
                description="Number of top strategies behind a signal",
                schema={"type": "integer", "minimum": 1, "maximum": 100},
                default=5,
            ),
            Setting(
                name="database_url",
                env="DATABASE_URL",
                description="PostgreSQL of a strategy-mcp that the server starts",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
            Setting(
                name="signal_max_age_s",
                env="SIGNAL_MAX_AGE",
                description="Age in seconds beyond which a strategy-mcp that the server starts takes no signal",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="influxdb_url",
                env="INFLUXDB_URL",
                description="InfluxDB of a market-data-mcp that the server starts",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
            Setting(
                name="influxdb_token",
                env="INFLUXDB_TOKEN",
                description="Token for INFLUXDB_URL",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
            Setting(
                name="influxdb_org",
                env="INFLUXDB_ORG",
                description="Organisation at INFLUXDB_URL",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="influxdb_bucket",
                env="INFLUXDB_BUCKET",
                description="Bucket at INFLUXDB_URL",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="influxdb_query_language",
                env="INFLUXDB_QUERY_LANGUAGE",
                description="Query language of INFLUXDB_URL",
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="price_max_age_s",
                env="PRICE_MAX_AGE",
                description="Age in seconds above which a market-data-mcp that the server starts finds a price stale",
                schema={"type": "string"},
                default="",
            ),
        ),
        sources=(RedisSource(name="bus", url="redis_url", retries=1),),
        call=SignalsCall,
        handler_settings=SignalsSettings,
        tools=(
            Tool(
                name="collect_evidence",
                request=models.CollectEvidenceRequest,
                parameters=schemas.COLLECT_EVIDENCE_PARAMETERS,
                returns=schemas.COLLECT_EVIDENCE_RETURNS,
                handler=handlers.collect_evidence,
                timeout_ms=30000,
                writes=("bus",),
                errors=(
                    DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
                    DeclaredError(errors.SymbolNotFound),
                    DeclaredError(errors.DatabaseError, When(occasion="source")),
                    DeclaredError(errors.RateLimited, When(occasion="rate_limit")),
                ),
                rate_limit=RateLimit(calls=120, window_s=60, store="bus"),
                version="1.0.1",
                title="Collect evidence",
                description=(
                    "Call strategy-mcp and market-data-mcp for a symbol, compute its signal, and "
                    "keep it for 5 minutes for publish_signal"
                ),
                adds=("bus",),
                view=ViewFile("generated.agents.signals", "collect_evidence.json"),
            ),
            Tool(
                name="publish_signal",
                request=models.PublishSignalRequest,
                parameters=schemas.PUBLISH_SIGNAL_PARAMETERS,
                returns=schemas.PUBLISH_SIGNAL_RETURNS,
                handler=handlers.publish_signal,
                timeout_ms=3000,
                writes=("bus",),
                publishes=("raw_signal",),
                errors=(
                    DeclaredError(errors.EvidenceNotFound),
                    DeclaredError(errors.EvidenceMismatch),
                    DeclaredError(errors.UnsupportedWords),
                    DeclaredError(errors.DatabaseError, When(occasion="source")),
                ),
                idempotency=Idempotency(key_from=("request", "derived"), window_s=3600, store="bus"),
                version="2.0.1",
                versions=(
                    OlderVersion(
                        version="1.1.0",
                        released_on=date(2026, 1, 1),
                        deprecated_on=date(2026, 11, 23),
                        sunset_on=date(2027, 1, 22),
                        parameters=schemas.PUBLISH_SIGNAL_PARAMETERS_1_1_0,
                        returns=schemas.PUBLISH_SIGNAL_RETURNS_1_1_0,
                        parameter_steps=(
                            move("/signal_id", "/evidence_id"),
                            move("/action", "/claim/action"),
                            move("/confidence", "/claim/confidence"),
                            move("/strategies_analyzed", "/claim/strategies_analyzed"),
                            move("/strategies_bullish", "/claim/strategies_bullish"),
                            move("/strategies_bearish", "/claim/strategies_bearish"),
                            move("/strategies_neutral", "/claim/strategies_neutral"),
                            move("/timestamp", "/claim/timestamp"),
                            move("/market_context/current_price", "/claim/current_price"),
                            drop("/market_context"),
                            drop("/top_strategy"),
                            drop("/strategy_breakdown"),
                            drop("/is_degraded"),
                        ),
                        result_steps=(add("/publication", "published"),),
                    ),
                ),
                title="Publish a signal",
                description=(
                    "Publish the signal that follows from evidence, with your reasoning, to Redis "
                    "channel:raw-signals, for current subscribers"
                ),
                adds=("bus",),
                released_on=date(2026, 11, 23),
                view=ViewFile("generated.agents.signals", "publish_signal.json"),
            ),
        ),
        events=(
            Event(
                name="raw_signal",
                source="bus",
                channel="channel:raw-signals",
                duplicate_window_s=3600,
                payload=schemas.RAW_SIGNAL_PAYLOAD,
            ),
        ),
    )
