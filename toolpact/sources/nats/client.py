"""Client of NATS with JetStream."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import orjson

from toolpact.sources.nats.api import Batch, Message, NatsError, NatsLimits, QueueDeclaration, WorkQueue
from toolpact.sources.nats.jetstream import API, JetStream, check_answer, open_inbox, send_request, translate_errors
from toolpact.sources.nats.work_queue import JetStreamWorkQueue
from toolpact.timing.clock import Clock

if TYPE_CHECKING:
    from nats.aio.client import Client


class JetStreamClient:
    """A NATS server with JetStream. Connects at the first request."""

    def __init__(self, limits: NatsLimits, url: str, clock: Clock) -> None:
        self._limits = limits
        self._jetstream = JetStream(limits, url, clock)
        self._outstanding = asyncio.Semaphore(limits.max_outstanding)

    @property
    def kind(self) -> str:
        """Kind of the system that answers."""
        return "nats"

    async def start(self) -> None:
        """Connect. Raises NatsError."""
        await self.check()

    async def check(self) -> None:
        """Ask JetStream for its state. Raises NatsError."""
        await self._jetstream.within("JetStream", self._jetstream.call(f"{API}.INFO"))

    async def close(self) -> None:
        """Close the connection in bounded time; requests that wait for an answer fail in their time."""
        await self._jetstream.close()

    def work_queue(self, declared: QueueDeclaration) -> WorkQueue:
        """Return a work queue over this connection, not yet open."""
        return JetStreamWorkQueue(self._jetstream, declared)

    async def publish(self, subject: str, payload: bytes, *, message_id: str | None = None) -> bool:
        """Publish to the stream of *subject*; return False if JetStream knows the *message_id*.

        Raises NatsError.
        """
        return await self._jetstream.within(subject, self._publish(subject, payload, message_id))

    async def last_messages(self, subject: str, lookback: timedelta, *, limit: int) -> Batch:
        """Return the messages of *subject* of the last *lookback*. Raises NatsError."""
        return await self._jetstream.within(subject, self._last_messages(subject, lookback, limit))

    async def _publish(self, subject: str, payload: bytes, message_id: str | None) -> bool:
        # Without an id, a message that is sent again after a lost connection could be stored twice.
        headers = {"Nats-Msg-Id": message_id or token_hex(16)}

        async def send(client: Client) -> bool:
            pending, limit = client.pending_data_size + len(payload), self._limits.max_pending_bytes
            if pending > limit:
                raise NatsError(f"{subject}: {pending} bytes would wait for a server that does not read, above {limit}")
            answer = await send_request(client, subject, payload, headers)
            with check_answer(subject):
                int(answer["seq"])  # only JetStream's acknowledgement has a position in a stream
            return not answer.get("duplicate", False)

        async with self._outstanding:
            return await self._jetstream.retry(send)

    async def _last_messages(self, subject: str, lookback: timedelta, limit: int) -> Batch:
        """Read batches until one of the limits is reached, or nothing is left."""
        found = await self._jetstream.call(f"{API}.STREAM.LIST", {"subject": subject})
        if not found.get("streams"):
            raise NatsError(f"{subject}: no stream has this subject")
        with check_answer(subject):
            stream = found["streams"][0]["config"]["name"]
            start = datetime.fromisoformat(found["streams"][0]["ts"]) - lookback
        place: dict[str, Any] = {"start_time": start.isoformat()}
        messages: list[Message] = []
        max_bytes = self._limits.max_response_bytes
        while True:
            request = {**place, "next_by_subj": subject, "batch": limit - len(messages), "max_bytes": max_bytes}
            batch = await self._jetstream.retry(partial(_read_batch, f"{API}.DIRECT.GET.{stream}", request))
            messages += batch.messages
            max_bytes -= sum(len(message.payload) for message in batch.messages)
            if not batch.remaining or not batch.messages or len(messages) >= limit or max_bytes <= 0:
                return Batch(messages=messages, remaining=batch.remaining)
            place = {"seq": messages[-1].sequence + 1}


async def _read_batch(subject: str, request: dict[str, Any], client: Client) -> Batch:
    """Return the messages that answer a direct get, in order. Raises NatsError."""
    messages: list[Message] = []
    async with open_inbox(client) as (inbox, answers):
        with translate_errors(subject):
            await client.publish(subject, orjson.dumps(request), reply=inbox)
        while True:
            answer = await answers.get()
            headers = answer.headers or {}
            # A stored message has the headers of its publisher too, perhaps a Status of his own.
            status = None if "Nats-Sequence" in headers else headers.get("Status")
            with check_answer(subject):
                match status:
                    case None:
                        messages.append(Message(sequence=int(headers["Nats-Sequence"]), payload=answer.data))
                    case "204":
                        return Batch(messages=messages, remaining=int(headers["Nats-Num-Pending"]))
                    case "404":
                        return Batch(messages=(), remaining=0)
                    case "503":
                        raise NatsError(f"{subject}: the stream does not allow direct access")
                    case _:
                        raise NatsError(f"{subject}: {status} {headers.get('Description', '')}")
