"""Client of NATS with JetStream."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from datetime import datetime, timedelta
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any, ClassVar

from toolaccord.sources.nats.api import NO_STREAM, Batch, NatsError, NatsLimits, QueueDeclaration, WorkQueue
from toolaccord.sources.nats.jetstream import API, JetStream, check_answer, send_request
from toolaccord.sources.nats.newest_messages import Tail, read_newest
from toolaccord.sources.nats.work_queue import JetStreamWorkQueue
from toolaccord.sources.read_only import ReadOnly
from toolaccord.timing.clock import Clock

if TYPE_CHECKING:
    from nats.aio.client import Client

_NO_MESSAGE = 10037
"""JetStream's code for a message that the stream does not have."""
_NOT_READ = "it reads too slowly; look whether it hangs, or raise max_pending_bytes of the source"


class JetStreamClient:
    """A NATS server with JetStream. Connects at the first request."""

    kind: ClassVar = "nats"
    """Kind of the system that answers."""

    def __init__(self, limits: NatsLimits, url: str, clock: Clock) -> None:
        self._limits = limits
        self._jetstream = JetStream(limits, url, clock)
        self.availability = self._jetstream.availability
        """State of the source, as requests and its connection found it."""
        self._outstanding = asyncio.Semaphore(limits.max_outstanding)

    async def start(self) -> None:
        """Connect. Raises NatsError."""
        await self.check()

    async def check(self) -> None:
        """Ask JetStream for its state. Raises NatsError."""
        await self._jetstream.within("JetStream", self._jetstream.call(f"{API}.INFO"))

    async def close(self) -> None:
        """Close the connection in bounded time; requests that wait for an answer fail in their time."""
        await self._jetstream.close()

    def reading(self, rejection: str) -> ReadOnly:
        """Return the client without publications and queues, which raise UndeclaredEffect."""
        return ReadOnly(self, ("publish", "publish_once", "work_queue"), rejection)

    def work_queue(self, declared: QueueDeclaration) -> WorkQueue:
        """Return a work queue over this connection, not yet open."""
        return JetStreamWorkQueue(self._jetstream, declared)

    async def publish(self, subject: str, payload: bytes, *, message_id: str | None = None) -> bool:
        """Publish to the stream of *subject*; return False if JetStream knows the *message_id*.

        Raises NatsError.
        """
        answer = await self._jetstream.within(subject, self._publish(subject, payload, message_id))
        return not answer.get("duplicate", False)

    async def publish_once(self, subject: str, payload: bytes, *, message_id: str) -> bytes | None:
        """Publish to the stream of *subject*; return the stored message of *message_id*.

        Raises NatsError.
        """
        return await self._jetstream.within(subject, self._publish_once(subject, payload, message_id))

    async def last_messages(self, subject: str, lookback: timedelta, *, limit: int) -> Batch:
        """Return the newest messages of *subject* of the last *lookback*. Raises NatsError."""
        return await self._jetstream.within(subject, self._last_messages(subject, lookback, limit))

    async def _publish_once(self, subject: str, payload: bytes, message_id: str) -> bytes | None:
        answer = await self._publish(subject, payload, message_id)
        if not answer.get("duplicate", False):
            return payload
        try:
            found = await self._jetstream.call(f"{API}.STREAM.MSG.GET.{answer['stream']}", {"seq": answer["seq"]})
        except NatsError as error:
            if error.code == _NO_MESSAGE:
                return None
            raise
        with check_answer(subject):
            return b64decode(found["message"].get("data", ""))

    async def _publish(self, subject: str, payload: bytes, message_id: str | None) -> dict[str, Any]:
        """Return JetStream's acknowledgement."""
        # Without an id, a message that is sent again after a lost connection could be stored twice.
        headers = {"Nats-Msg-Id": message_id or token_hex(16)}

        async def send(client: Client) -> dict[str, Any]:
            pending, limit = client.pending_data_size + len(payload), self._limits.max_pending_bytes
            if pending > limit:
                message = f"{subject}: {pending} bytes would wait for a server that does not read, above {limit}"
                raise NatsError(message, reason=_NOT_READ)
            answer = await send_request(client, subject, payload, headers)
            with check_answer(subject):
                int(answer["seq"]), str(answer["stream"])  # only JetStream's acknowledgement has a position in a stream
            return answer

        async with self._outstanding:
            return await self._jetstream.retry(send)

    async def _last_messages(self, subject: str, lookback: timedelta, limit: int) -> Batch:
        found = await self._jetstream.call(f"{API}.STREAM.LIST", {"subject": subject})
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
        return await self._jetstream.retry(partial(read_newest, tail))
