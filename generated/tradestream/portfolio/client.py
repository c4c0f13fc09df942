"""Typed client of portfolio-mcp.

Generated from contracts/tradestream/portfolio.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Protocol, Unpack

from generated import dialects
from generated.tradestream import errors
from generated.tradestream.portfolio import models, schemas
from toolaccord import Accepted, Cancelled, Declined
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import (
    AskAnswers,
    PagedTool,
    RemoteServer,
    RemoteTask,
    RemoteTool,
)
from toolaccord.client.tasks import TaskHandle
from toolaccord.contract.policies import When
from toolaccord.declarations.causes import DeclaredError

GET_POSITIONS: Final = PagedTool(
    name="get_positions",
    request=models.GetPositionsRequest,
    result=models.GetPositionsResult,
    errors=(
        DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
        DeclaredError(errors.Unauthorized),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
        DeclaredError(errors.AccountNotFound),
    ),
    timeout_s=10.0,
    parameters=schemas.GET_POSITIONS_PARAMETERS,
    version="1.1.3",
)

GET_BALANCE: Final = RemoteTool(
    name="get_balance",
    request=models.GetBalanceRequest,
    result=models.GetBalanceResult,
    errors=(
        DeclaredError(errors.Unauthorized),
        DeclaredError(errors.AccountNotFound),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
    ),
    timeout_s=10.0,
    parameters=schemas.GET_BALANCE_PARAMETERS,
    version="1.1.2",
)

VALIDATE_TRADE: Final = RemoteTool(
    name="validate_trade",
    request=models.ValidateTradeRequest,
    result=models.ValidateTradeResult,
    errors=(
        DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
        DeclaredError(errors.InvalidSide, When(at=("/side",))),
        DeclaredError(errors.InvalidSize, When(at=("/size",))),
        DeclaredError(errors.InsufficientBalance),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
        DeclaredError(errors.Unauthorized),
        DeclaredError(errors.AccountNotFound),
    ),
    timeout_s=10.0,
    parameters=schemas.VALIDATE_TRADE_PARAMETERS,
    version="1.3.1",
    task=RemoteTask(ttl_s=86400),
)


class PortfolioAnswers(Protocol):
    """Answers to the questions of the server; each takes the message."""

    async def oversized_trade(self, message: str, /) -> Accepted[models.OversizedTradeAnswer] | Declined | Cancelled:
        """Ask if a trade above the limit shall be allowed."""


def answer_asks(answers: PortfolioAnswers) -> AskAnswers:
    """Return *answers* as the option `answers` of a client."""
    return AskAnswers(
        elicitation={
            "oversized_trade": answers.oversized_trade,
        },
        sampling={},
        roots={},
    )


class PortfolioClient(ServerClient):
    """Client of portfolio-mcp.

    Portfolio state for position sizing and risk validation, from PostgreSQL.
    """

    _server: ClassVar = RemoteServer(
        name="portfolio-mcp",
        module="generated.tradestream.portfolio",
        dialect=dialects.TRADESTREAM,
    )

    async def get_positions(
        self, request: models.GetPositionsRequest, **options: Unpack[CallOptions]
    ) -> models.GetPositionsResult:
        """Get current open positions.

        May raise:
        * InvalidSymbol: Symbol format is invalid or not supported.
        * Unauthorized: Not authorized to access portfolio data.
        * DatabaseError: Database connection or query failed.
        * AccountNotFound: Trading account not found.
        """
        return (await self.call(GET_POSITIONS, request, **options)).result

    async def get_balance(
        self, request: models.GetBalanceRequest, **options: Unpack[CallOptions]
    ) -> models.GetBalanceResult:
        """Get account balance and available margin.

        May raise:
        * Unauthorized: Not authorized to access balance data.
        * AccountNotFound: Trading account not found.
        * DatabaseError: Database connection or query failed.
        """
        return (await self.call(GET_BALANCE, request, **options)).result

    async def validate_trade(
        self, request: models.ValidateTradeRequest, **options: Unpack[CallOptions]
    ) -> models.ValidateTradeResult:
        """Validate a proposed trade against risk rules.

        May raise:
        * InvalidSymbol: Symbol format is invalid or not supported.
        * InvalidSide: Trade side must be BUY or SELL.
        * InvalidSize: Trade size must be positive.
        * InsufficientBalance: Account balance insufficient for trade.
        * DatabaseError: Database connection or query failed.
        * Unauthorized: Not authorized to access portfolio data.
        * AccountNotFound: Trading account not found.
        """
        return (await self.call(VALIDATE_TRADE, request, **options)).result

    async def start_validate_trade(
        self, request: models.ValidateTradeRequest, **options: Unpack[CallOptions]
    ) -> TaskHandle[models.ValidateTradeResult]:
        """Start the call as a task, and return its handle without waiting for the result."""
        return await self._start_task(VALIDATE_TRADE, request, **options)

    def resume_validate_trade(self, task_id: str) -> TaskHandle[models.ValidateTradeResult]:
        """Return the handle of a task by its id, perhaps one of another process."""
        return self._resume_task(VALIDATE_TRADE, task_id)
