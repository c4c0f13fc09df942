"""Declaration of portfolio-mcp.

Portfolio state for position sizing and risk validation, from PostgreSQL.

Generated from contracts/tradestream/portfolio.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from generated.dialects import TRADESTREAM
from generated.tradestream import errors
from generated.tradestream.portfolio import models, queries, schemas
from toolaccord import Accepted, Caller, Cancelled, Declined, Page, Row
from toolaccord.contract.policies import TaskPolicy, When
from toolaccord.contract.settings import Setting
from toolaccord.declarations.asks import Elicitation
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.tool import Server, Tool
from toolaccord.declarations.views import ViewFile
from toolaccord.sources.postgresql import Postgresql, PostgresqlSource
from toolaccord.sources.redis import RedisSource


@dataclass(frozen=True, slots=True, kw_only=True)
class PortfolioSettings:
    """Settings of the handlers, from the environment."""

    account_id: str
    """Id of the trading account that all tools read, as in the table accounts."""


class PortfolioAsks(Protocol):
    """Questions to the caller of a tool.

    A handler may run again from its start to get an answer. So it asks first, and writes after the last answer.
    """

    def supports(self, *names: Literal["oversized_trade"]) -> bool:
        """Return whether the caller can be asked each of *names*."""

    async def oversized_trade(
        self, *, side: str, size: float, symbol: str, reason: str, max_size: float
    ) -> Accepted[models.OversizedTradeAnswer] | Declined | Cancelled:
        """Ask if a trade above the limit shall be allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortfolioCall:
    """Sources, settings and time that a handler of portfolio-mcp gets with a request."""

    postgres: Postgresql
    settings: PortfolioSettings
    now: datetime
    """Time of the call, in UTC."""
    caller: Caller | None = None
    """Caller that a token proves; None on stdio, and for a server without tokens."""
    ask: PortfolioAsks
    """Asks the caller, in tools whose contract declares the ask."""


class GetBalanceCall(Protocol):
    """Members of PortfolioCall for get_balance; its `effects` in the contract name them."""

    @property
    def postgres(self) -> Postgresql:
        """The source postgres."""

    @property
    def settings(self) -> PortfolioSettings:
        """Settings of the handlers."""

    @property
    def now(self) -> datetime:
        """Time of the call, in UTC."""

    @property
    def caller(self) -> Caller | None:
        """Caller that a token proves; None on stdio, and for a server without tokens."""


class GetPositionsCall(Protocol):
    """Members of PortfolioCall for get_positions; its `effects` in the contract name them."""

    @property
    def postgres(self) -> Postgresql:
        """The source postgres."""

    @property
    def settings(self) -> PortfolioSettings:
        """Settings of the handlers."""

    @property
    def now(self) -> datetime:
        """Time of the call, in UTC."""

    @property
    def caller(self) -> Caller | None:
        """Caller that a token proves; None on stdio, and for a server without tokens."""


class Handlers(Protocol):
    """Coroutines of portfolio-mcp.

    The module `handlers.tradestream.portfolio` implements them.
    """

    async def get_positions(
        self, request: models.GetPositionsRequest, call: PortfolioCall, /
    ) -> Page[models.Position | Row | queries.PositionsRow]:
        """Get current open positions."""

    async def get_balance(
        self, request: models.GetBalanceRequest, call: PortfolioCall, /
    ) -> models.GetBalanceResult | queries.BalanceRow:
        """Get account balance and available margin."""

    async def validate_trade(
        self, request: models.ValidateTradeRequest, call: PortfolioCall, /
    ) -> models.ValidateTradeResult:
        """Validate a proposed trade against risk rules."""


def server(handlers: Handlers) -> Server[PortfolioCall]:
    """Bind the tools of portfolio-mcp to *handlers*."""
    return Server(
        name="portfolio-mcp",
        title="Portfolio",
        version="1.3.1",
        description="Portfolio state for position sizing and risk validation, from PostgreSQL.",
        instructions=(
            "All three tools read the same account, and never from a cache. Call "
            "validate_trade before every trade: it checks the risk rules and returns the "
            "largest allowed size."
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
                name="account_id",
                env="PORTFOLIO_ACCOUNT_ID",
                description="Id of the trading account that all tools read, as in the table accounts",
                schema={"type": "string", "minLength": 1, "maxLength": 128},
                required=True,
            ),
            Setting(
                name="redis_url",
                env="PORTFOLIO_REDIS_URL",
                description="Redis in which replicas keep tasks together; each keeps its own in memory without one",
                schema={"type": "string"},
                default="",
                secret=True,
            ),
        ),
        sources=(
            PostgresqlSource(
                name="postgres",
                url="database_url",
                min_connections=2,
                system="tradestream",
                tables=("accounts", "positions", "signals"),
            ),
            RedisSource(name="redis", url="redis_url", connection_timeout_s=1.5, timeout_s=1.5),
        ),
        call=PortfolioCall,
        handler_settings=PortfolioSettings,
        tools=(
            Tool(
                name="get_positions",
                request=models.GetPositionsRequest,
                parameters=schemas.GET_POSITIONS_PARAMETERS,
                returns=schemas.GET_POSITIONS_RETURNS,
                handler=handlers.get_positions,
                timeout_ms=10000,
                reads=("postgres",),
                errors=(
                    DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
                    DeclaredError(errors.Unauthorized),
                    DeclaredError(errors.DatabaseError, When(occasion="source")),
                    DeclaredError(errors.AccountNotFound),
                ),
                paginated=True,
                version="1.1.3",
                title="Open positions",
                description="Get current open positions",
                view=ViewFile("generated.tradestream.portfolio", "get_positions.json"),
            ),
            Tool(
                name="get_balance",
                request=models.GetBalanceRequest,
                parameters=schemas.GET_BALANCE_PARAMETERS,
                returns=schemas.GET_BALANCE_RETURNS,
                handler=handlers.get_balance,
                timeout_ms=10000,
                reads=("postgres",),
                errors=(
                    DeclaredError(errors.Unauthorized),
                    DeclaredError(errors.AccountNotFound),
                    DeclaredError(errors.DatabaseError, When(occasion="source")),
                ),
                version="1.1.2",
                title="Balance",
                description="Get account balance and available margin",
                view=ViewFile("generated.tradestream.portfolio", "get_balance.json"),
            ),
            Tool(
                name="validate_trade",
                request=models.ValidateTradeRequest,
                parameters=schemas.VALIDATE_TRADE_PARAMETERS,
                returns=schemas.VALIDATE_TRADE_RETURNS,
                handler=handlers.validate_trade,
                timeout_ms=10000,
                reads=("postgres",),
                errors=(
                    DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
                    DeclaredError(errors.InvalidSide, When(at=("/side",))),
                    DeclaredError(errors.InvalidSize, When(at=("/size",))),
                    DeclaredError(errors.InsufficientBalance),
                    DeclaredError(errors.DatabaseError, When(occasion="source")),
                    DeclaredError(errors.Unauthorized),
                    DeclaredError(errors.AccountNotFound),
                ),
                asks=("oversized_trade",),
                version="1.3.1",
                title="Validate a trade",
                description="Validate a proposed trade against risk rules",
                task=TaskPolicy(mode="optional", store="redis", ttl_s=86400),
                view=ViewFile("generated.tradestream.portfolio", "validate_trade.json"),
            ),
        ),
        sessions=True,
        asks=(
            Elicitation(
                name="oversized_trade",
                optional=True,
                message="{side} {size} {symbol}: {reason} The largest valid size is {max_size}. Allow the trade all the same?",
                schema=schemas.OVERSIZED_TRADE_FORM,
                answer=models.OversizedTradeAnswer,
            ),
        ),
    )
