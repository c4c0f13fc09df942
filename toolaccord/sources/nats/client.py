"""Client of NATS with JetStream."""

from __future__ import annotations

from base64 import b64decode
from datetime import datetime, timedelta
from functools import partial
from secrets import token_hex
from typing import Any, ClassVar

from toolaccord.contract.source_kinds.nats import NatsSource
from toolaccord.sources.nats.api import NO_STREAM, Batch, NatsError
from toolaccord.sources.nats.jetstream import API, JetStream, check_answer
from toolaccord.sources.nats.newest_messages import Tail, read_newest
from toolaccord.sources.nats.streams import NO_MESSAGE
from toolaccord.sources.read_only import ReadOnly
from toolaccord.timing.clock import Clock


class JetStreamClient:
    """A NATS server with JetStream. Connects at the first request."""

    kind: ClassVar = "nats"
    """Kind of the system that answers."""

    def __init__(self, limits: NatsSource, url: str, clock: Clock) -> None:
        self._limits = limits
        self.jetstream = JetStream(limits, url, clock)
        """Requests to JetStream over this connection."""
        self.availability = self.jetstream.availability
        """State of the source, as requests and its connection found it."""

    async def start(self) -> None:
        """Connect. Raises NatsError."""
        await self.check()

    async def check(self) -> None:
        """Ask JetStream for its state. Raises NatsError."""
        await self.jetstream.within("JetStream", self.jetstream.call(f"{API}.INFO"))

    async def close(self) -> None:
        """Close the connection in bounded time; requests that wait for an answer fail in their time."""
        await self.jetstream.close()

    def reading(self, rejection: str) -> ReadOnly:
        """Return the client without publications, which raise UndeclaredEffect."""
        return ReadOnly(self, ("publish", "publish_once"), rejection)

    async def publish(self, subject: str, payload: bytes, *, message_id: str | None = None) -> bool:
        """Publish to the stream of *subject*; return False if JetStream knows the *message_id*.

        Raises NatsError.
        """
        answer = await self.jetstream.within(subject, self._publish(subject, payload, message_id))
        return not answer.get("duplicate", False)

    async def publish_once(self, subject: str, payload: bytes, *, message_id: str) -> bytes | None:
        """Publish to the stream of *subject*; return the stored message of *message_id*.

        Raises NatsError.
        """
        return await self.jetstream.within(subject, self._publish_once(subject, payload, message_id))

    async def last_messages(self, subject: str, lookback: timedelta, *, limit: int) -> Batch:
        """Return the newest messages of *subject* of the last *lookback*. Raises NatsError."""
        return await self.jetstream.within(subject, self._last_messages(subject, lookback, limit))

    async def _publish_once(self, subject: str, payload: bytes, message_id: str) -> bytes | None:
        answer = await self._publish(subject, payload, message_id)
        if not answer.get("duplicate", False):
            return payload
        try:
            found = await self.jetstream.call(f"{API}.STREAM.MSG.GET.{answer['stream']}", {"seq": answer["seq"]})
        except NatsError as error:
            if error.code == NO_MESSAGE:
                return None
            raise
        with check_answer(subject):
            return b64decode(found["message"].get("data", ""))

    async def _publish(self, subject: str, payload: bytes, message_id: str | None) -> dict[str, Any]:
        """Return JetStream's acknowledgement."""
        # Without an id, a message that is sent again after a lost connection could be stored twice.
        return await self.jetstream.publish(subject, payload, {"Nats-Msg-Id": message_id or token_hex(16)})

    async def _last_messages(self, subject: str, lookback: timedelta, limit: int) -> Batch:
        found = await self.jetstream.call(f"{API}.STREAM.LIST", {"subject": subject})
        if not found.get("streams"):
            raise NatsError(f"{subject}: no stream has this subject", reason=NO_STREAM)
        with check_answer(subject):
            stream = found["streams"][0]
            tail = Tail(
                stream=stream["config"]["name"],
                subject=subject,
                since=datetime.fromisoformat(stream["ts"]) - lookback,
                last_sequence=stream["state"]["last_seq"],
                limit=limit,
                max_bytes=self._limits.max_response_bytes,
            )
        return await self.jetstream.retry(partial(read_newest, tail))
