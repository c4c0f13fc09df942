"""Typed client of execution-mcp.

Generated from contracts/platform/execution.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from generated import dialects
from generated.platform import errors
from generated.platform.execution import models, schemas
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import RemoteServer, RemoteTool
from toolaccord.declarations.causes import DeclaredError

EXECUTION_SIM_QUOTE: Final = RemoteTool(
    name="execution.sim_quote",
    request=models.ExecutionSimQuoteRequest,
    result=models.ExecutionSimQuoteResult,
    errors=(
        DeclaredError(errors.InvalidArguments),
        DeclaredError(errors.InsufficientData),
        DeclaredError(errors.InsufficientLiquidity),
    ),
    timeout_s=0.2,
    parameters=schemas.EXECUTION_SIM_QUOTE_PARAMETERS,
    version="1.1.1",
)


class ExecutionClient(ServerClient):
    """Client of execution-mcp.

    Expected prices and costs of orders, simulated from recent candles. No order is ever placed.
    """

    _server: ClassVar = RemoteServer(
        name="execution-mcp",
        module="generated.platform.execution",
        dialect=dialects.PLATFORM,
    )

    async def execution_sim_quote(
        self, request: models.ExecutionSimQuoteRequest, **options: Unpack[CallOptions]
    ) -> models.ExecutionSimQuoteResult:
        """Estimate the price, cost and fill of an order from the hour before a time.

        Nothing is traded.

        May raise:
        * InvalidArguments: An argument is invalid, does not belong to the type of order, or lies in the future.
        * InsufficientData: Too few candles exist before the time to estimate the market.
        * InsufficientLiquidity: The market does not take the quantity within an hour.
        """
        return (await self.call(EXECUTION_SIM_QUOTE, request, **options)).result
