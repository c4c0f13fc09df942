"""Raise alarms. `contracts/demo/alarm.json` declares the server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tests.toolaccord.generated.demo.alarm.models import RaiseAlarmRequest, RaiseAlarmResult
from tests.toolaccord.generated.demo.alarm.server import AlarmCall

Raise = Callable[[str, AlarmCall], Awaitable[None]]


class Warden:
    """The handlers; *publish* takes the place and the call."""

    def __init__(self, publish: Raise) -> None:
        self._publish = publish

    async def raise_alarm(self, request: RaiseAlarmRequest, call: AlarmCall, /) -> RaiseAlarmResult:
        """Raise an alarm."""
        await self._publish(request.place, call)
        return RaiseAlarmResult(raised=True)
