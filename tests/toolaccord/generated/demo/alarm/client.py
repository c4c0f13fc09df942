"""Typed client of alarm-mcp.

Generated from tests/toolaccord/contracts/demo/alarm.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""

from __future__ import annotations

from typing import ClassVar, Final, Unpack

from tests.toolaccord.generated import dialects
from tests.toolaccord.generated.demo.alarm import models, schemas
from toolaccord.client.base import ServerClient, WriteOptions
from toolaccord.client.declarations import RemoteServer, RemoteTool

RAISE_ALARM: Final = RemoteTool(
    name="raise_alarm",
    request=models.RaiseAlarmRequest,
    result=models.RaiseAlarmResult,
    errors=(),
    timeout_s=20.0,
    nullable_arguments=False,
    parameters=schemas.RAISE_ALARM_PARAMETERS,
    version="1.0.0",
    writes=True,
)
"""Raise an alarm."""


class AlarmClient(ServerClient):
    """Client of alarm-mcp.

    Alarms for whoever listens.
    """

    _server: ClassVar = RemoteServer(
        name="alarm-mcp",
        module="tests.toolaccord.generated.demo.alarm",
        dialect=dialects.LEDGER,
    )

    async def raise_alarm(
        self, request: models.RaiseAlarmRequest, **options: Unpack[WriteOptions]
    ) -> models.RaiseAlarmResult:
        """Raise an alarm."""
        return (await self.call(RAISE_ALARM, request, **options)).result
