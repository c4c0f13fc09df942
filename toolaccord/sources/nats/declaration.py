"""NATS source as a contract declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolaccord.sources.nats.api import Nats, NatsLimits
from toolaccord.timing.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class NatsSource(NatsLimits):
    """A NATS server or cluster, as the contract declares it."""

    kind: ClassVar = "nats"
    """Kind of the system that answers."""
    url: str
    """Name of the setting that holds the URL."""

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Nats:
        """Return the source, not yet connected."""
        from toolaccord.sources.nats.client import JetStreamClient  # noqa: PLC0415 - only servers that open one need it

        return JetStreamClient(self, str(settings[self.url]), clock)
