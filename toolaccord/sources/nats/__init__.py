"""NATS source with JetStream. Importing this package does not load nats-py."""

from __future__ import annotations

from toolaccord.sources.nats.api import (
    Batch,
    Message,
    Nats,
    NatsError,
    QueueMismatch,
)
from toolaccord.sources.nats.declaration import NatsSource

__all__ = [
    "Batch",
    "Message",
    "Nats",
    "NatsError",
    "NatsSource",
    "QueueMismatch",
]
