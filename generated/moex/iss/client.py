"""A typed client of moex-iss-mcp.

Generated from contracts/moex/iss.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from generated import dialects
from generated.moex import errors
from generated.moex.iss import models
from runtime.client import CallOptions, RemoteServer, RemoteTool, ServerClient

GET_SECURITY_SNAPSHOT: Final = RemoteTool(
    name="get_security_snapshot",
    request=models.GetSecuritySnapshotRequest,
    result=models.GetSecuritySnapshotResult,
    errors=(errors.InvalidTicker, errors.NoData, errors.IssTimeout, errors.IssUnavailable, errors.IssBadResponse),
    timeout_s=10.0,
    nullable_arguments=False,
)
"""Get a short snapshot for a MOEX security (last price, change, liquidity)."""


class IssClient(ServerClient):
    """Calls moex-iss-mcp: Market data of the Moscow Exchange from its information and statistical server (ISS)."""

    _server: ClassVar = RemoteServer(
        name="moex-iss-mcp",
        module="generated.moex.iss",
        dialect=dialects.MOEX,
    )

    async def get_security_snapshot(
        self, request: models.GetSecuritySnapshotRequest, **options: Unpack[CallOptions]
    ) -> models.GetSecuritySnapshotResult:
        """Get a short snapshot for a MOEX security (last price, change, liquidity).

        It may raise
        * InvalidTicker: The exchange knows no such security on this board, or the ticker is malformed.
        * NoData: The security has neither a trade today nor a previous price.
        * IssTimeout: The exchange's information server did not answer in time.
        * IssUnavailable: The exchange's information server could not be reached or failed.
        * IssBadResponse: The exchange's information server answered with something that is not market data.
        """
        return (await self.call(GET_SECURITY_SNAPSHOT, request, **options)).result
