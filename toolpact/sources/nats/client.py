"""Client of NATS with JetStream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from toolpact.sources.nats.api import Batch, Message, NatsError, NatsLimits
from toolpact.sources.nats.connection import NatsConnection
from toolpact.timing.clock import Clock
from toolpact.timing.deadline import DeadlineExceeded, run_within

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

T = TypeVar("T")

_API = "$JS.API"


class JetStreamClient:
    """A NATS server with JetStream. Connects at the first request."""

    def __init__(self, limits: NatsLimits, url: str, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self._connection = NatsConnection(limits, url, clock)
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
        await self._within("JetStream", self._call_api(f"{_API}.INFO"))

    async def close(self) -> None:
        """Close the connection in bounded time; requests that wait for an answer fail in their time."""
        await self._connection.close()

    async def publish(self, subject: str, payload: bytes, *, message_id: str | None = None) -> None:
        """Publish to the stream of *subject*; return when JetStream has stored the message.

        Raises NatsError.
        """
        await self._within(subject, self._publish(subject, payload, message_id))

    async def last_messages(self, subject: str, lookback: timedelta, *, limit: int) -> Batch:
        """Return the messages of *subject* of the last *lookback*. Raises NatsError."""
        return await self._within(subject, self._last_messages(subject, lookback, limit))

    async def _within(self, name: str, request: Coroutine[Any, Any, T]) -> T:
        """Return the result of *request* within the timeout. Raises NatsError.

        nats-py may wait longer, and may ignore a cancellation.
        """
        seconds = self._limits.timeout_s
        try:
            return await run_within(self._clock, seconds, request)
        except DeadlineExceeded as error:
            raise NatsError(f"{name}: no answer within {seconds} s") from error

    async def _publish(self, subject: str, payload: bytes, message_id: str | None) -> None:
        # Without an id, a message that is sent again after a lost connection could be stored twice.
        headers = {"Nats-Msg-Id": message_id or token_hex(16)}

        async def send(client: Client) -> None:
            pending, limit = client.pending_data_size + len(payload), self._limits.max_pending_bytes
            if pending > limit:
                raise NatsError(f"{subject}: {pending} bytes would wait for a server that does not read, above {limit}")
            answer = await _request(client, subject, payload, headers)
            with _check_answer(subject):
                int(answer["seq"])  # only JetStream's acknowledgement has a position in a stream

        async with self._outstanding:
            await self._retry(send)

    async def _last_messages(self, subject: str, lookback: timedelta, limit: int) -> Batch:
        """Read batches until one of the limits is reached, or nothing is left."""
        found = await self._call_api(f"{_API}.STREAM.LIST", {"subject": subject})
        if not found.get("streams"):
            raise NatsError(f"{subject}: no stream has this subject")
        with _check_answer(subject):
            stream = found["streams"][0]["config"]["name"]
            start = datetime.fromisoformat(found["streams"][0]["ts"]) - lookback
        place: dict[str, Any] = {"start_time": start.isoformat()}
        messages: list[Message] = []
        max_bytes = self._limits.max_response_bytes
        while True:
            request = {**place, "next_by_subj": subject, "batch": limit - len(messages), "max_bytes": max_bytes}
            batch = await self._retry(partial(_read_batch, f"{_API}.DIRECT.GET.{stream}", request))
            messages += batch.messages
            max_bytes -= sum(len(message.payload) for message in batch.messages)
            if not batch.remaining or not batch.messages or len(messages) >= limit or max_bytes <= 0:
                return Batch(messages=messages, remaining=batch.remaining)
            place = {"seq": messages[-1].sequence + 1}

    async def _call_api(self, subject: str, request: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the answer of JetStream's API. Raises NatsError."""
        payload = b"" if request is None else orjson.dumps(request)
        return await self._retry(lambda client: _request(client, subject, payload))

    async def _retry(self, request: Callable[[Client], Coroutine[Any, Any, T]]) -> T:
        """Return the result of *request*; send it again if the connection is lost before the answer.

        Raises NatsError.
        """
        while True:
            client, lost = await self._connection.acquire()
            answering = asyncio.create_task(request(client))
            awaited: set[asyncio.Future[Any]] = {answering, lost}
            try:
                await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
                if answering.done() and (client.is_connected or answering.exception() is None):
                    return answering.result()
            finally:
                answering.cancel()


async def _request(
    client: Client, subject: str, payload: bytes, headers: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return what JetStream answers to a message, however long it takes. Raises NatsError."""
    with _translate_errors(subject):
        # The timeout of the source is in seconds of its clock, and covers more than the answer.
        answer = await client.request(subject, payload, timeout=None, headers=headers)  # type: ignore[arg-type]
    with _check_answer(subject):
        body: dict[str, Any] = orjson.loads(answer.data)
        if error := body.get("error"):
            raise NatsError(f"{subject}: {error.get('description')}", code=error.get("err_code"))
    return body


async def _read_batch(subject: str, request: dict[str, Any], client: Client) -> Batch:
    """Return the messages that answer a direct get, in order. Raises NatsError."""
    messages: list[Message] = []
    async with _inbox(client) as (inbox, answers):
        with _translate_errors(subject):
            await client.publish(subject, orjson.dumps(request), reply=inbox)
        while True:
            answer = await answers.get()
            headers = answer.headers or {}
            # A stored message has the headers of its publisher too, perhaps a Status of his own.
            status = None if "Nats-Sequence" in headers else headers.get("Status")
            with _check_answer(subject):
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


@asynccontextmanager
async def _inbox(client: Client) -> AsyncIterator[tuple[str, asyncio.Queue[Msg]]]:
    """Provide a subject for answers, and the queue that they come to."""
    import nats.errors  # noqa: PLC0415 - see connection

    inbox = client.new_inbox()
    answers: asyncio.Queue[Msg] = asyncio.Queue()
    with _translate_errors(inbox):
        # No limits: a subscription drops messages above them, and the request is limited.
        subscription = await client.subscribe(inbox, cb=answers.put, pending_msgs_limit=0, pending_bytes_limit=0)
    try:
        yield inbox, answers
    finally:
        with suppress(nats.errors.ConnectionClosedError):  # and the subscription with it
            await subscription.unsubscribe()


@contextmanager
def _translate_errors(subject: str) -> Iterator[None]:
    """Raise the exceptions of nats-py as NatsError."""
    import nats.errors  # noqa: PLC0415 - see connection

    try:
        yield
    except nats.errors.NoRespondersError as error:
        raise NatsError(f"{subject}: no stream has this subject, or JetStream is not running") from error
    except nats.errors.Error as error:
        raise NatsError(f"{subject}: {type(error).__name__}: {error}") from error


@contextmanager
def _check_answer(subject: str) -> Iterator[None]:
    """Raise what reading a malformed answer raises as NatsError."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise NatsError(f"{subject}: somebody other than JetStream answers") from error
