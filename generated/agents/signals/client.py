"""Typed client of signal-mcp.

Generated from contracts/agents/signals.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from generated import dialects
from generated.agents import errors
from generated.agents.signals import models, schemas
from toolaccord.client.base import CallOptions, ServerClient, WriteOptions
from toolaccord.client.declarations import RemoteServer, RemoteTool
from toolaccord.contract.policies import When
from toolaccord.declarations.causes import DeclaredError

COLLECT_EVIDENCE: Final = RemoteTool(
    name="collect_evidence",
    request=models.CollectEvidenceRequest,
    result=models.CollectEvidenceResult,
    errors=(
        DeclaredError(errors.InvalidSymbol, When(at=("/symbol",))),
        DeclaredError(errors.SymbolNotFound),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
        DeclaredError(errors.RateLimited, When(occasion="rate_limit")),
    ),
    timeout_s=30.0,
    parameters=schemas.COLLECT_EVIDENCE_PARAMETERS,
    version="1.0.1",
    writes=True,
)

PUBLISH_SIGNAL: Final = RemoteTool(
    name="publish_signal",
    request=models.PublishSignalRequest,
    result=models.PublishSignalResult,
    errors=(
        DeclaredError(errors.EvidenceNotFound),
        DeclaredError(errors.EvidenceMismatch),
        DeclaredError(errors.UnsupportedWords),
        DeclaredError(errors.DatabaseError, When(occasion="source")),
    ),
    timeout_s=3.0,
    parameters=schemas.PUBLISH_SIGNAL_PARAMETERS,
    version="2.0.1",
    writes=True,
)


class SignalsClient(ServerClient):
    """Client of signal-mcp.

    Collects the evidence behind a signal, and publishes signals with the words of a model in a host.
    """

    _server: ClassVar = RemoteServer(
        name="signal-mcp",
        module="generated.agents.signals",
        dialect=dialects.TRADESTREAM,
    )

    async def collect_evidence(
        self, request: models.CollectEvidenceRequest, **options: Unpack[CallOptions]
    ) -> models.CollectEvidenceResult:
        """Collect evidence.

        Call strategy-mcp and market-data-mcp for a symbol, compute its signal, and keep it for 5 minutes for
        publish_signal.

        May raise:
        * InvalidSymbol: Symbol format is invalid or not supported.
        * SymbolNotFound: No strategies found for the given symbol.
        * DatabaseError: Redis is unreachable, or did not answer in time.
        * RateLimited: Too much evidence was collected in the last minute.
        """
        return (await self.call(COLLECT_EVIDENCE, request, **options)).result

    async def publish_signal(
        self, request: models.PublishSignalRequest, **options: Unpack[WriteOptions]
    ) -> models.PublishSignalResult:
        """Publish a signal.

        Publish the signal that follows from evidence, with your reasoning, to Redis channel:raw-signals, for current
        subscribers.

        May raise:
        * EvidenceNotFound: No evidence has this id and symbol: it expired, was published, or never was.
        * EvidenceMismatch: The signal differs from its evidence.
        * UnsupportedWords: The evidence does not support a part of the reasoning.
        * DatabaseError: Redis is unreachable, or did not answer in time.
        """
        return (await self.call(PUBLISH_SIGNAL, request, **options)).result
