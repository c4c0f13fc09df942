"""Typed client of signal-mcp.

Generated from contracts/agents/signals.json; do not edit. Regenerate with `nox -s generate`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from generated import dialects
from generated.agents import errors
from generated.agents.signals import models
from toolpact.client.base import ServerClient, WriteOptions
from toolpact.client.declarations import RemoteServer, RemoteTool

PUBLISH_SIGNAL: Final = RemoteTool(
    name="publish_signal",
    request=models.PublishSignalRequest,
    result=models.PublishSignalResult,
    errors=(errors.DatabaseError,),
    timeout_s=3.0,
    nullable_arguments=False,
    version="1.2.0",
    writes=True,
)
"""Publish a raw signal to Redis channel:raw-signals, for current subscribers."""


class SignalsClient(ServerClient):
    """Client of signal-mcp.

    Publishes raw signals to Redis, for models that generate them in a host.
    """

    _server: ClassVar = RemoteServer(
        name="signal-mcp",
        module="generated.agents.signals",
        dialect=dialects.TRADESTREAM,
    )

    async def publish_signal(
        self, request: models.PublishSignalRequest, **options: Unpack[WriteOptions]
    ) -> models.PublishSignalResult:
        """Publish a raw signal to Redis channel:raw-signals, for current subscribers.

        May raise:
        * DatabaseError: Redis is unreachable, or did not answer in time.
        """
        return (await self.call(PUBLISH_SIGNAL, request, **options)).result
