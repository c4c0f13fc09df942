"""Messages of an agent's work queue, and the declaration of the queue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import orjson

from toolaccord.agent.declarations import Agent
from toolaccord.contract.agents import Queue
from toolaccord.semantics.work_queues import redelivery_s
from toolaccord.sources.nats import QueueDeclaration

MAX_ATTEMPTS = 5
"""Largest number of deliveries of a message in which its request is run.

Workers die or fail with it in all of them; one more delivery reports those that died.
"""
_KEPT_AGES = 2
"""Age at which JetStream drops a message, in multiples of the age at which it expires.

So a worker that comes late still sees and counts what it has missed. A scheduler enqueues nothing that is older than
one such age, so JetStream knows the id of each message that could be enqueued again.
"""


class InvalidMessage(ValueError):
    """A message of the queue is no request. The text says why."""


@dataclass(frozen=True, slots=True)
class QueuedRequest:
    """A request in the queue."""

    value: str
    """Value of the batch's argument."""
    scheduled_at: datetime
    """Time for which it is answered, in UTC."""

    @property
    def message_id(self) -> str:
        """Id of its message, equal for every scheduler."""
        return sha256(orjson.dumps([self.value, _format_time(self.scheduled_at)])).hexdigest()

    def encode(self, argument: str) -> bytes:
        """Return the message, whose member *argument* has the value."""
        return orjson.dumps({argument: self.value, "scheduled_at": _format_time(self.scheduled_at)})


def decode_message(argument: str, payload: bytes) -> QueuedRequest:
    """Return the request of a message. Raises InvalidMessage."""
    try:
        message = orjson.loads(payload)
        value, written = message[argument], datetime.fromisoformat(message["scheduled_at"])
        scheduled_at = written.astimezone(UTC)
    except (LookupError, OverflowError, TypeError, ValueError) as error:
        raise InvalidMessage(f"{type(error).__name__}: {error}") from error
    if not isinstance(value, str) or written.tzinfo is None:
        raise InvalidMessage(f'"{argument}" must be a string, and "scheduled_at" a time in UTC')
    return QueuedRequest(value, scheduled_at)


def declare_queue(agent: Agent[Any, Any, Any], queue: Queue) -> QueueDeclaration:
    """Return the queue of *agent* as its NATS source opens it."""
    return QueueDeclaration(
        stream=queue.stream,
        subject=queue.subject,
        consumer=agent.name,
        max_age_s=_KEPT_AGES * queue.max_age_s,
        ack_wait_s=redelivery_s(agent.limits.timeout_ms),
        max_deliver=MAX_ATTEMPTS + 1,
    )


def _format_time(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")
