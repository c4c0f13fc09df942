"""NATS source with JetStream. Importing this package does not load nats-py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolaccord.contract.source_kinds import nats
from toolaccord.sources.nats.api import Batch, Message, Nats, NatsError, QueueMismatch
from toolaccord.timing.clock import Clock

__all__ = ["Batch", "Message", "Nats", "NatsError", "NatsSource", "QueueMismatch"]


class NatsSource(nats.NatsSource):
    """A NATS server or cluster, as the contract declares it."""

    __slots__ = ()

    def open(self, settings: Mapping[str, Any], clock: Clock, /) -> Nats:
        """Return the source, not yet connected."""
        from toolaccord.sources.nats.client import JetStreamClient  # noqa: PLC0415 - only servers that open one need it

        return JetStreamClient(self, str(settings[self.url]), clock)
