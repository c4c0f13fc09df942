"""Typed client of risk-mcp.

Generated from contracts/platform/risk.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from generated import dialects
from generated.platform import errors
from generated.platform.risk import models, schemas
from toolaccord.client.base import CallOptions, ServerClient, WriteOptions
from toolaccord.client.declarations import RemoteServer, RemoteTool
from toolaccord.contract.policies import When
from toolaccord.declarations.causes import DeclaredError

RISK_POSITION_LIMITS_CHECK: Final = RemoteTool(
    name="risk.position_limits_check",
    request=models.RiskPositionLimitsCheckRequest,
    result=models.RiskPositionLimitsCheckResult,
    errors=(
        DeclaredError(errors.InvalidArguments),
        DeclaredError(errors.MissingConfiguration),
    ),
    timeout_s=0.1,
    parameters=schemas.RISK_POSITION_LIMITS_CHECK_PARAMETERS,
    version="2.1.1",
    cache_bypass="force_refresh",
)

RISK_TRIGGER_ALERT: Final = RemoteTool(
    name="risk.trigger_alert",
    request=models.RiskTriggerAlertRequest,
    result=models.RiskTriggerAlertResult,
    errors=(DeclaredError(errors.BackendUnavailable, When(occasion="source")),),
    timeout_s=0.2,
    parameters=schemas.RISK_TRIGGER_ALERT_PARAMETERS,
    version="1.1.1",
    writes=True,
)


class RiskClient(ServerClient):
    """Client of risk-mcp.

    Limits of portfolios, checked before an order is sent, from PostgreSQL.
    """

    _server: ClassVar = RemoteServer(
        name="risk-mcp",
        module="generated.platform.risk",
        dialect=dialects.PLATFORM,
    )

    async def risk_position_limits_check(
        self, request: models.RiskPositionLimitsCheckRequest, **options: Unpack[CallOptions]
    ) -> models.RiskPositionLimitsCheckResult:
        """Check an order against the limits of its portfolio.

        An order that reduces a limited value is never rejected for that limit.

        May raise:
        * InvalidArguments: An argument is invalid, a position has no symbol as its name, or there are more than 500
        of them.
        * MissingConfiguration: The portfolio has no limits, or an instrument has no prices.
        """
        return (await self.call(RISK_POSITION_LIMITS_CHECK, request, **options)).result

    async def risk_trigger_alert(
        self, request: models.RiskTriggerAlertRequest, **options: Unpack[WriteOptions]
    ) -> models.RiskTriggerAlertResult:
        """Publish a risk alert for downstream systems; it is stored when the call succeeds.

        Equal alerts of a caller within an hour are published once.

        May raise:
        * BackendUnavailable: NATS did not acknowledge the alert; it may be published.
        """
        return (await self.call(RISK_TRIGGER_ALERT, request, **options)).result
