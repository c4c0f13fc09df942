"""Handler of contracts/agents/signal_generator.json."""

from __future__ import annotations

from generated.agents.signal_generator import models
from generated.agents.signal_generator.agent import SignalGeneratorCall


async def answer(request: models.SignalRequest, call: SignalGeneratorCall) -> models.Signal:
    """Return the signal of a symbol."""
    raise NotImplementedError
