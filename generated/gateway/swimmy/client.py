"""Typed client of swimmy-mcp.

Generated from contracts/gateway/swimmy.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from generated import dialects
from generated.gateway import errors
from generated.gateway.swimmy import models, schemas
from toolaccord.client.base import CallOptions, ServerClient
from toolaccord.client.declarations import RemoteServer, RemoteTask, RemoteTool
from toolaccord.client.tasks import TaskHandle
from toolaccord.contract.policies import When
from toolaccord.declarations.causes import DeclaredError

HEALTH_PING: Final = RemoteTool(
    name="health.ping",
    request=models.HealthPingRequest,
    result=models.HealthPingResult,
    timeout_s=2.0,
    parameters=schemas.HEALTH_PING_PARAMETERS,
    version="1.1.0",
)

SYSTEM_STATUS: Final = RemoteTool(
    name="system.status",
    request=models.SystemStatusRequest,
    result=models.SystemStatusResult,
    timeout_s=2.0,
    parameters=schemas.SYSTEM_STATUS_PARAMETERS,
    version="1.0.0",
)

SYSTEM_METRICS: Final = RemoteTool(
    name="system.metrics",
    request=models.SystemMetricsRequest,
    result=models.SystemMetricsResult,
    timeout_s=2.0,
    parameters=schemas.SYSTEM_METRICS_PARAMETERS,
    version="1.0.0",
)

BACKTEST_SUBMIT: Final = RemoteTool(
    name="backtest.submit",
    request=models.BacktestSubmitRequest,
    result=models.BacktestSubmitResult,
    errors=(
        DeclaredError(errors.InconsistentParams),
        DeclaredError(errors.Unavailable, When(occasion="source")),
    ),
    timeout_s=60.0,
    parameters=schemas.BACKTEST_SUBMIT_PARAMETERS,
    version="1.1.0",
    writes=True,
    task=RemoteTask(ttl_s=86400),
)

BACKTEST_STATUS: Final = RemoteTool(
    name="backtest.status",
    request=models.BacktestStatusRequest,
    result=models.BacktestStatusResult,
    timeout_s=2.0,
    parameters=schemas.BACKTEST_STATUS_PARAMETERS,
    version="2.0.2",
)


class SwimmyClient(ServerClient):
    """Client of swimmy-mcp.

    Status and backtests of the Swimmy trading system, over its ZeroMQ bus and its status files.
    """

    _server: ClassVar = RemoteServer(
        name="swimmy-mcp",
        module="generated.gateway.swimmy",
        dialect=dialects.GATEWAY,
    )

    async def health_ping(
        self, request: models.HealthPingRequest, **options: Unpack[CallOptions]
    ) -> models.HealthPingResult:
        """Check that the gateway answers; says nothing about Swimmy itself."""
        return (await self.call(HEALTH_PING, request, **options)).result

    async def system_status(
        self, request: models.SystemStatusRequest, **options: Unpack[CallOptions]
    ) -> models.SystemStatusResult:
        """Get the status of Swimmy and of its backtests, as its status files have it.

        An empty object means that the file does not exist or cannot be read.
        """
        return (await self.call(SYSTEM_STATUS, request, **options)).result

    async def system_metrics(
        self, request: models.SystemMetricsRequest, **options: Unpack[CallOptions]
    ) -> models.SystemMetricsResult:
        """Get Swimmy's metrics as its metrics file has them.

        An empty object means that the file does not exist or cannot be read. Check schema_version before you rely on
        other members.
        """
        return (await self.call(SYSTEM_METRICS, request, **options)).result

    async def backtest_submit(
        self, request: models.BacktestSubmitRequest, **options: Unpack[CallOptions]
    ) -> models.BacktestSubmitResult:
        """Send a backtest to the Guardian, which runs it in the background.

        Give the candles once: inline, as a file of the Guardian, or as data_id of candles that it already holds. Read
        the result with backtest.status and the returned request_id.

        May raise:
        * InconsistentParams: Arguments do not fit each other, or the Guardian would misread one; nothing was sent.
        * Unavailable: No Guardian took the request in time; it was not sent, unless the connection broke meanwhile.
        """
        return (await self.call(BACKTEST_SUBMIT, request, **options)).result

    async def start_backtest_submit(
        self, request: models.BacktestSubmitRequest, **options: Unpack[CallOptions]
    ) -> TaskHandle[models.BacktestSubmitResult]:
        """Start the call as a task, and return its handle without waiting for the result."""
        return await self._start_task(BACKTEST_SUBMIT, request, **options)

    def resume_backtest_submit(self, task_id: str) -> TaskHandle[models.BacktestSubmitResult]:
        """Return the handle of a task by its id, perhaps one of another process."""
        return self._resume_task(BACKTEST_SUBMIT, task_id)

    async def backtest_status(
        self, request: models.BacktestStatusRequest, **options: Unpack[CallOptions]
    ) -> models.BacktestStatusResult:
        """Get the result of a backtest by its request_id.

        Without request_id, or if the gateway receives no results, mode is latest and the members describe the
        backtest that ended last, whoever submitted it: compare last_request_id with yours.
        """
        return (await self.call(BACKTEST_STATUS, request, **options)).result
