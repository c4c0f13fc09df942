"""Declaration of strategy-mcp.

Strategy performance data and current signals from PostgreSQL.

Generated from contracts/tradestream/strategy.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from generated.dialects import TRADESTREAM
from generated.tradestream import errors
from generated.tradestream.strategy import models, queries, schemas
from toolaccord import Caller, Page, Row
from toolaccord.contract.policies import CacheHint, CachePolicy, When
from toolaccord.contract.settings import Setting
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.prompts import Prompt, TextMessage
from toolaccord.declarations.resources import Completion, Resource, StaticFile
from toolaccord.declarations.tool import Server, Tool
from toolaccord.declarations.views import ViewFile
from toolaccord.sources.postgresql import Postgresql, PostgresqlSource


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategySettings:
    """Settings of the handlers, from the environment."""

    signal_max_age_s: int
    """Age in seconds beyond which a signal is no longer current."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyCall:
    """Sources, settings and time that a handler of strategy-mcp gets with a request."""

    postgres: Postgresql
    settings: StrategySettings
    now: datetime
    """Time of the call, in UTC."""
    caller: Caller | None = None
    """Caller that a token proves; None on stdio, and for a server without tokens."""


class Handlers(Protocol):
    """Coroutines of strategy-mcp.

    The module `handlers.tradestream.strategy` implements them.
    """

    async def get_top_strategies(
        self, request: models.GetTopStrategiesRequest, call: StrategyCall, /
    ) -> Page[models.Strategy | Row | queries.TopStrategiesRow]:
        """Fetch top N strategies for a symbol ranked by performance score."""

    async def get_strategy_signal(
        self, request: models.GetStrategySignalRequest, call: StrategyCall, /
    ) -> models.GetStrategySignalResult | queries.NewestSignalRow:
        """Get the current signal from a specific strategy for a symbol."""

    async def get_strategy_consensus(
        self, request: models.GetStrategyConsensusRequest, call: StrategyCall, /
    ) -> models.GetStrategyConsensusResult:
        """Get aggregated consensus across all active strategies for a symbol."""

    async def complete_analyze_symbol_symbol(self, prefix: str, call: StrategyCall, /) -> Sequence[str]:
        """Return values of symbol that complete *prefix*.

        The value is an argument of the prompt analyze-symbol.
        """


def server(handlers: Handlers) -> Server[StrategyCall]:
    """Bind the tools of strategy-mcp to *handlers*."""
    return Server(
        name="strategy-mcp",
        title="Strategies and signals",
        version="1.5.1",
        description="Strategy performance data and current signals from PostgreSQL.",
        instructions=(
            "Rank a symbol's strategies with get_top_strategies, then read one strategy's "
            "signal or the consensus of all. Results are cached for some seconds; "
            "force_refresh bypasses the cache."
        ),
        dialect=TRADESTREAM,
        settings=(
            Setting(
                name="database_url",
                env="DATABASE_URL",
                description="PostgreSQL connection string, postgresql://user:password@host:port/database",
                schema={"type": "string"},
                required=True,
                secret=True,
            ),
            Setting(
                name="signal_max_age_s",
                env="SIGNAL_MAX_AGE",
                description="Age in seconds beyond which a signal is no longer current",
                schema={"type": "integer", "minimum": 1, "maximum": 315360000},
                default=86400,
            ),
        ),
        sources=(
            PostgresqlSource(
                name="postgres",
                url="database_url",
                min_connections=2,
                system="tradestream",
                tables=("signals", "strategies", "strategy_performance"),
            ),
        ),
        call=StrategyCall,
        handler_settings=StrategySettings,
        tools=(
            Tool(
                name="get_top_strategies",
                request=models.GetTopStrategiesRequest,
                parameters=schemas.GET_TOP_STRATEGIES_PARAMETERS,
                returns=schemas.GET_TOP_STRATEGIES_RETURNS,
                handler=handlers.get_top_strategies,
                timeout_ms=10000,
                reads=("postgres",),
                errors=(
                    DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
                    DeclaredError(errors.SymbolNotFound),
                    DeclaredError(errors.DatabaseError, When(occasion="source")),
                    DeclaredError(errors.InvalidMetric, When(at=("/metric",))),
                ),
                cache=CachePolicy(ttl_s=30, bypass="force_refresh"),
                paginated=True,
                version="1.2.1",
                title="Top strategies",
                description="Fetch top N strategies for a symbol ranked by performance score",
                view=ViewFile("generated.tradestream.strategy", "get_top_strategies.json"),
            ),
            Tool(
                name="get_strategy_signal",
                request=models.GetStrategySignalRequest,
                parameters=schemas.GET_STRATEGY_SIGNAL_PARAMETERS,
                returns=schemas.GET_STRATEGY_SIGNAL_RETURNS,
                handler=handlers.get_strategy_signal,
                timeout_ms=10000,
                reads=("postgres",),
                errors=(
                    DeclaredError(errors.StrategyNotFound),
                    DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
                    DeclaredError(errors.NoSignal),
                    DeclaredError(errors.DatabaseError, When(occasion="source")),
                ),
                cache=CachePolicy(ttl_s=10, bypass="force_refresh"),
                version="1.2.2",
                title="Strategy signal",
                description="Get the current signal from a specific strategy for a symbol",
                view=ViewFile("generated.tradestream.strategy", "get_strategy_signal.json"),
            ),
            Tool(
                name="get_strategy_consensus",
                request=models.GetStrategyConsensusRequest,
                parameters=schemas.GET_STRATEGY_CONSENSUS_PARAMETERS,
                returns=schemas.GET_STRATEGY_CONSENSUS_RETURNS,
                handler=handlers.get_strategy_consensus,
                timeout_ms=10000,
                reads=("postgres",),
                errors=(
                    DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
                    DeclaredError(errors.NoActiveStrategies),
                    DeclaredError(errors.DatabaseError, When(occasion="source")),
                ),
                cache=CachePolicy(ttl_s=30, bypass="force_refresh"),
                version="1.1.3",
                title="Strategy consensus",
                description="Get aggregated consensus across all active strategies for a symbol",
                view=ViewFile("generated.tradestream.strategy", "get_strategy_consensus.json"),
            ),
        ),
        resources=(
            Resource(
                name="contract.get_top_strategies",
                title="Contract of Top strategies",
                description="Contract of the tool get_top_strategies: its schemas, errors, limits and examples.",
                uri="contract://strategy-mcp/get_top_strategies",
                mime_type="application/json",
                kind="text",
                content=StaticFile("generated.tradestream.strategy", "contract.get_top_strategies.json"),
                cache=CacheHint(ttl_s=300, scope="public"),
            ),
            Resource(
                name="contract.get_strategy_signal",
                title="Contract of Strategy signal",
                description="Contract of the tool get_strategy_signal: its schemas, errors, limits and examples.",
                uri="contract://strategy-mcp/get_strategy_signal",
                mime_type="application/json",
                kind="text",
                content=StaticFile("generated.tradestream.strategy", "contract.get_strategy_signal.json"),
                cache=CacheHint(ttl_s=300, scope="public"),
            ),
            Resource(
                name="contract.get_strategy_consensus",
                title="Contract of Strategy consensus",
                description="Contract of the tool get_strategy_consensus: its schemas, errors, limits and examples.",
                uri="contract://strategy-mcp/get_strategy_consensus",
                mime_type="application/json",
                kind="text",
                content=StaticFile("generated.tradestream.strategy", "contract.get_strategy_consensus.json"),
                cache=CacheHint(ttl_s=300, scope="public"),
            ),
        ),
        prompts=(
            Prompt(
                name="analyze-symbol",
                title="Analyze a symbol",
                description="Find a trading signal for a symbol from its best strategies.",
                request=models.PromptAnalyzeSymbolRequest,
                parameters=schemas.PROMPT_ANALYZE_SYMBOL_PARAMETERS,
                messages=(
                    TextMessage(
                        "user",
                        (
                            "Analyze {symbol}, and recommend BUY, SELL or HOLD.\n\n1. Call get_top_strategies "
                            "for {symbol} with limit {strategies}.\n2. Call get_strategy_signal for each of "
                            "them. A strategy without a current signal does not count.\n3. If you have "
                            "market-data-mcp, call get_current_price and get_volatility for {symbol}.\n4. "
                            "Count the bullish, bearish and neutral signals. The confidence follows from how "
                            "far they agree.\n\nAnswer with a JSON object: symbol, action, confidence from 0 "
                            "to 1, and the reasoning in a few sentences. Name each tool that failed."
                        ),
                    ),
                ),
                timeout_ms=10000,
                completions=(Completion(member="symbol", handler=handlers.complete_analyze_symbol_symbol),),
            ),
        ),
    )
