"""Declaration of the agent signal-generator.

Analyses trading symbols and publishes raw BUY, SELL or HOLD signals with their confidence and a breakdown by
strategy.

Generated from contracts/agents/signal_generator.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from generated.agents.signal_generator import models, schemas
from generated.tradestream.market_data import client as market_data_client
from generated.tradestream.strategy import client as strategy_client
from toolaccord import Publisher
from toolaccord.agent.call import LanguageModel, MissingData
from toolaccord.agent.declarations import Agent, ToolUse, Use
from toolaccord.contract.agents import (
    Batch,
    IfMissing,
    Limits,
    Metric,
    Model,
    Queue,
    Retry,
    SharedCache,
    Skill,
)
from toolaccord.contract.policies import ToolCache
from toolaccord.contract.settings import Setting
from toolaccord.declarations.events import Event
from toolaccord.sources.nats import NatsSource
from toolaccord.sources.redis import Redis, RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalGeneratorSettings:
    """Settings of the handler, from the environment."""

    max_strategies: int
    """Number of top strategies behind a signal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalGeneratorCall:
    """Clients, sources, settings and time of a request to signal-generator."""

    strategy: strategy_client.StrategyClient
    market_data: market_data_client.MarketDataClient
    bus: Redis
    raw_signal: Publisher[models.Signal]
    """A signal for downstream processing."""
    signal_error: Publisher[models.FailedSymbol]
    """A symbol for which there is no signal, such as an invalid one."""
    settings: SignalGeneratorSettings
    now: datetime
    """Time for which the request is answered, in UTC."""
    read_clock: Callable[[], datetime]
    """Returns the present, in UTC; it is after `now` if the request has waited."""
    corr_id: str
    """Correlation id of the request, which its calls carry."""
    missing: MissingData
    """The data without which the request is answered."""
    model: LanguageModel | None
    """Writes texts; None if the settings name no model."""


class Handler(Protocol):
    """The agent's coroutine. The module `handlers.agents.signal_generator` implements it."""

    async def answer(self, request: models.SignalRequest, call: SignalGeneratorCall, /) -> models.Signal:
        """Return the result of a request. Raises ToolError."""


def agent(handler: Handler) -> Agent[models.SignalRequest, SignalGeneratorCall, models.Signal]:
    """Bind signal-generator to *handler*."""
    return Agent(
        name="signal-generator",
        title="Signal generator",
        version="2.1.0",
        description=(
            "Analyses trading symbols and publishes raw BUY, SELL or HOLD signals with their "
            "confidence and a breakdown by strategy."
        ),
        instructions=(
            "You are a trading signal analyst. Explain BUY, SELL and HOLD signals, which are "
            "computed from the results of tools. Use only numbers that a tool returned. If "
            "data is missing, say so in the reasoning."
        ),
        settings=(
            Setting(
                name="redis_url",
                env="REDIS_URL",
                description="Redis that carries the signals and the shared cache, redis://host:6379/0",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
            Setting(
                name="nats_url",
                env="NATS_URL",
                description="NATS with JetStream for --queue and --enqueue, nats://user:password@host:4222",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
            Setting(
                name="strategy_url",
                env="STRATEGY_MCP_URL",
                description="URL of strategy-mcp, http://host:8080/mcp; not set, the agent starts the server",
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
                description="URL of market-data-mcp, http://host:8080/mcp; not set, the agent starts the server",
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
                name="model",
                env="SIGNAL_MODEL",
                description=(
                    "Model that writes the reasoning, such as google/gemini-2.0-flash-001; not set, "
                    "the agent works without one"
                ),
                schema={"type": "string"},
                default="",
            ),
            Setting(
                name="model_url",
                env="SIGNAL_MODEL_URL",
                description="Base URL of the model's API, which is like OpenAI's",
                schema={"type": "string", "pattern": "^https?://[^/]"},
                default="https://openrouter.ai/api/v1",
            ),
            Setting(
                name="model_token",
                env="OPENROUTER_API_KEY",
                description="API key for SIGNAL_MODEL_URL",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
            Setting(
                name="symbols",
                env="SIGNAL_SYMBOLS",
                description="Symbols of --all, separated by commas",
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
        ),
        sources=(
            RedisSource(name="bus", url="redis_url", retries=1),
            NatsSource(name="queue", url="nats_url", connection_timeout_s=2, timeout_s=2),
        ),
        uses=(
            Use(
                name="strategy",
                version="^1",
                url="strategy_url",
                token="strategy_token",
                command="strategy_command",
                max_concurrent=20,
                client=strategy_client.StrategyClient,
                tools=(
                    ToolUse(
                        reads=("/items/*/strategy_id", "/items/*/name", "/items/*/score"),
                        cache=ToolCache(ttl_s=300, stale_if_error_s=600),
                        if_missing=IfMissing(label="strategies", confidence_penalty=0.2),
                        tool=strategy_client.GET_TOP_STRATEGIES,
                        description="Fetch top N strategies for a symbol ranked by performance score",
                    ),
                    ToolUse(
                        reads=("/signal", "/parameters"),
                        cache=ToolCache(ttl_s=60, stale_if_error_s=300),
                        if_missing=IfMissing(label="strategies", confidence_penalty=0.2),
                        tool=strategy_client.GET_STRATEGY_SIGNAL,
                        description="Get the current signal from a specific strategy for a symbol",
                    ),
                ),
                environment=("DATABASE_URL", "SIGNAL_MAX_AGE"),
                required=("DATABASE_URL",),
            ),
            Use(
                name="market_data",
                version="^1",
                url="market_data_url",
                token="market_data_token",
                command="market_data_command",
                max_concurrent=20,
                client=market_data_client.MarketDataClient,
                tools=(
                    ToolUse(
                        reads=("/price", "/change_1h"),
                        cache=ToolCache(ttl_s=10, stale_if_error_s=120),
                        if_missing=IfMissing(label="market_context", confidence_penalty=0.1),
                        tool=market_data_client.GET_CURRENT_PRICE,
                        description="Get the current price and recent change for a symbol",
                    ),
                    ToolUse(
                        reads=("/items/*/timestamp", "/items/*/volume"),
                        cache=ToolCache(ttl_s=60),
                        if_missing=IfMissing(label="market_context", confidence_penalty=0.1),
                        tool=market_data_client.GET_CANDLES,
                        description="Fetch OHLCV candle data for a symbol",
                    ),
                    ToolUse(
                        reads=("/volatility",),
                        cache=ToolCache(ttl_s=60),
                        if_missing=IfMissing(label="volatility", confidence_penalty=0.05),
                        tool=market_data_client.GET_VOLATILITY,
                        description="Calculate volatility metrics for a symbol",
                    ),
                ),
                environment=(
                    "INFLUXDB_URL",
                    "INFLUXDB_TOKEN",
                    "INFLUXDB_ORG",
                    "INFLUXDB_BUCKET",
                    "INFLUXDB_QUERY_LANGUAGE",
                    "PRICE_MAX_AGE",
                ),
                required=("INFLUXDB_URL",),
            ),
        ),
        limits=Limits(timeout_ms=10000, p95_ms=2000, max_concurrent=10),
        call=SignalGeneratorCall,
        handler_settings=SignalGeneratorSettings,
        request=models.SignalRequest,
        input=schemas.INPUT,
        result=models.Signal,
        output=schemas.OUTPUT,
        handler=handler.answer,
        events=(
            Event(
                name="raw_signal",
                source="bus",
                channel="channel:raw-signals",
                duplicate_window_s=3600,
                payload=schemas.RAW_SIGNAL_PAYLOAD,
            ),
            Event(
                name="signal_error",
                source="bus",
                channel="channel:signal-errors",
                duplicate_window_s=3600,
                payload=schemas.SIGNAL_ERROR_PAYLOAD,
            ),
        ),
        model=Model(
            name="model",
            url="model_url",
            token="model_token",
            preferred="google/gemini-2.0-flash-001",
            fallback="anthropic/claude-sonnet-4",
            requires=("tool_calling",),
            min_context_window=8000,
        ),
        skills=(
            Skill(
                name="analyze-symbol",
                title="Analyse a symbol",
                description=(
                    "Analyse a trading symbol with the MCP tools, from strategies and market context "
                    "to a signal. Use it whenever a signal for a symbol is requested."
                ),
                tags=("trading", "signals"),
                examples=("Analyze ETH/USD and generate a trading signal",),
            ),
            Skill(
                name="detect-patterns",
                title="Detect patterns",
                description=(
                    "Identify technical patterns in the recent prices of a symbol. Use it when the "
                    "reasoning of a signal needs the trend, the momentum, the volume or key levels."
                ),
                tags=("trading", "technical-analysis"),
            ),
        ),
        cache=SharedCache(store="bus", prefix="signal-gen:cache:"),
        retry=Retry(
            max_attempts=3,
            initial_delay_ms=500,
            max_delay_ms=5000,
            multiplier=2.0,
            jitter=0.1,
        ),
        batch=Batch(
            argument="symbol",
            all="symbols",
            size=10,
            delay_ms=1000,
            min_success_rate=0.5,
            result=schemas.BATCH_RESULT,
            queue=Queue(source="queue", stream="SIGNAL_SYMBOLS", max_age_s=120),
        ),
        metrics=(
            Metric(name="signals_total", description="Signals generated by action", labels={"action": "/action"}),
            Metric(
                name="confidence_histogram",
                kind="histogram",
                description="Distribution of confidence scores",
                value="/confidence",
                buckets=(0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
            ),
            Metric(name="degraded_signals_total", description="Degraded signals generated", when="/is_degraded"),
        ),
    )
