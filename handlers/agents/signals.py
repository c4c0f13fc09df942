"""Handlers of contracts/agents/signals.json: one coroutine for each tool."""

from __future__ import annotations

from generated.agents.signals import models
from generated.agents.signals.server import SignalsCall


async def publish_signal(request: models.PublishSignalRequest, call: SignalsCall) -> models.PublishSignalResult:
    """Publish a signal as it is."""
    await call.raw_signal.publish(models.RawSignal.model_validate(request.model_dump(exclude_unset=True)))
    return models.PublishSignalResult(signal_id=request.signal_id, channel=call.raw_signal.address)
