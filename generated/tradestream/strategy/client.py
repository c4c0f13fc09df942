"""Typed client of strategy-mcp.

Generated from contracts/tradestream/strategy.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from generated import dialects
from generated.tradestream import errors
from generated.tradestream.strategy import models, schemas
from toolaccord import content
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import (
    Completed,
    PagedTool,
    RemoteCompletion,
    RemotePrompt,
    RemoteServer,
    RemoteTool,
)
from toolaccord.contract.policies import When
from toolaccord.declarations.causes import DeclaredError

GET_TOP_STRATEGIES: Final = PagedTool(
    name="get_top_strategies",
    request=models.GetTopStrategiesRequest,
    result=models.GetTopStrategiesResult,
    errors=(
        DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
        DeclaredError(errors.SymbolNotFound),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
        DeclaredError(errors.InvalidMetric, When(at=("/metric",))),
    ),
    timeout_s=10.0,
    parameters=schemas.GET_TOP_STRATEGIES_PARAMETERS,
    version="1.2.1",
    cache_bypass="force_refresh",
)

GET_STRATEGY_SIGNAL: Final = RemoteTool(
    name="get_strategy_signal",
    request=models.GetStrategySignalRequest,
    result=models.GetStrategySignalResult,
    errors=(
        DeclaredError(errors.StrategyNotFound),
        DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
        DeclaredError(errors.NoSignal),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
    ),
    timeout_s=10.0,
    parameters=schemas.GET_STRATEGY_SIGNAL_PARAMETERS,
    version="1.2.2",
    cache_bypass="force_refresh",
)

GET_STRATEGY_CONSENSUS: Final = RemoteTool(
    name="get_strategy_consensus",
    request=models.GetStrategyConsensusRequest,
    result=models.GetStrategyConsensusResult,
    errors=(
        DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
        DeclaredError(errors.NoActiveStrategies),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
    ),
    timeout_s=10.0,
    parameters=schemas.GET_STRATEGY_CONSENSUS_PARAMETERS,
    version="1.1.3",
    cache_bypass="force_refresh",
)

PROMPT_ANALYZE_SYMBOL: Final = RemotePrompt(
    name="prompts/get analyze-symbol",
    prompt="analyze-symbol",
    request=models.PromptAnalyzeSymbolRequest,
    timeout_s=10.0,
)

COMPLETE_ANALYZE_SYMBOL_SYMBOL: Final = RemoteCompletion(
    name="completion/complete analyze-symbol symbol",
    prompt="analyze-symbol",
    member="symbol",
    timeout_s=10.0,
)


class StrategyClient(ServerClient):
    """Client of strategy-mcp.

    Strategy performance data and current signals from PostgreSQL.
    """

    _server: ClassVar = RemoteServer(
        name="strategy-mcp",
        module="generated.tradestream.strategy",
        dialect=dialects.TRADESTREAM,
    )

    async def get_top_strategies(
        self, request: models.GetTopStrategiesRequest, **options: Unpack[CallOptions]
    ) -> models.GetTopStrategiesResult:
        """Fetch top N strategies for a symbol ranked by performance score.

        May raise:
        * InvalidSymbol: Symbol format is invalid or not supported.
        * SymbolNotFound: No strategies found for the given symbol.
        * DatabaseError: Database connection or query failed.
        * InvalidMetric: Specified metric is not supported.
        """
        return (await self.call(GET_TOP_STRATEGIES, request, **options)).result

    async def get_strategy_signal(
        self, request: models.GetStrategySignalRequest, **options: Unpack[CallOptions]
    ) -> models.GetStrategySignalResult:
        """Get the current signal from a specific strategy for a symbol.

        May raise:
        * StrategyNotFound: Strategy with specified ID does not exist.
        * InvalidSymbol: Symbol format is invalid or not supported.
        * NoSignal: Strategy has no current signal for this symbol.
        * DatabaseError: Database connection or query failed.
        """
        return (await self.call(GET_STRATEGY_SIGNAL, request, **options)).result

    async def get_strategy_consensus(
        self, request: models.GetStrategyConsensusRequest, **options: Unpack[CallOptions]
    ) -> models.GetStrategyConsensusResult:
        """Get aggregated consensus across all active strategies for a symbol.

        May raise:
        * InvalidSymbol: Symbol format is invalid or not supported.
        * NoActiveStrategies: No active strategies found for this symbol.
        * DatabaseError: Database connection or query failed.
        """
        return (await self.call(GET_STRATEGY_CONSENSUS, request, **options)).result

    async def prompt_analyze_symbol(
        self, request: models.PromptAnalyzeSymbolRequest, **options: Unpack[CallOptions]
    ) -> tuple[content.Message, ...]:
        """Find a trading signal for a symbol from its best strategies."""
        return (await self.get_prompt(PROMPT_ANALYZE_SYMBOL, request, **options)).result

    async def complete_analyze_symbol_symbol(self, prefix: str, **options: Unpack[CallOptions]) -> Completed:
        """Return values of symbol that complete *prefix*.

        The value is an argument of the prompt analyze-symbol.
        """
        return (await self.complete(COMPLETE_ANALYZE_SYMBOL_SYMBOL, prefix, **options)).result
