"""Requests to JetStream over a connection that is made again for ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from toolaccord.contract.source_kinds.nats import NatsSource
from toolaccord.source_faults import INVALID_ANSWER, NO_ANSWER
from toolaccord.sources.addresses import describe_place
from toolaccord.sources.availability import Availability
from toolaccord.sources.nats.api import LARGE_MESSAGE, NatsError
from toolaccord.sources.nats.connection import NatsConnection
from toolaccord.sources.nats.faults import explain
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import DeadlineExceeded, run_within

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

T = TypeVar("T")

API = "$JS.API"
_HEADER_BYTES = 12
"""Bytes of headers without any."""
_NOT_READ = "it reads too slowly; look whether it hangs, or raise max_pending_bytes of the source"


class JetStream:
    """JetStream of one source."""

    def __init__(self, limits: NatsSource, url: str, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self.availability = Availability(NatsError.service, limits.name, describe_place(url), clock, NatsError)
        """State of the source, as requests and its connection found it."""
        self._connection = NatsConnection(limits, url, clock, self.availability)
        self._outstanding = asyncio.Semaphore(limits.max_outstanding)

    async def close(self) -> None:
        """Close the connection in bounded time; requests that wait for an answer fail in their time."""
        await self._connection.close()

    async def within(self, name: str, request: Coroutine[Any, Any, T], *, extra_s: float = 0) -> T:
        """Return the result of *request* within the timeout and *extra_s*. Raises NatsError.

        nats-py may wait longer, and may ignore a cancellation.
        """
        seconds = self._limits.timeout_s + extra_s
        try:
            self.availability.admit()
        except NatsError:
            request.close()
            raise
        with self.availability.attempt():
            try:
                return await run_within(self._clock, seconds, request)
            except DeadlineExceeded as error:
                raise NatsError(f"{name}: no answer within {seconds} s", reason=NO_ANSWER) from error

    async def call(self, subject: str, request: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the answer of JetStream's API. Raises NatsError."""
        payload = b"" if request is None else orjson.dumps(request)
        return await self.retry(lambda client: send_request(client, subject, payload))

    async def publish(self, subject: str, payload: bytes, headers: dict[str, str]) -> dict[str, Any]:
        """Return the acknowledgement of a message that a stream has stored. Raises NatsError.

        Its *headers* must have an id, as it may be sent again.
        """

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
            return await self.retry(send)

    async def tell(self, subject: str, payload: bytes) -> None:
        """Publish to those that listen now; nobody learns of it without a connection."""
        if client := self._connection.client:
            with suppress(NatsError), translate_errors(subject):
                await client.publish(subject, payload)

    async def retry(self, request: Callable[[Client], Coroutine[Any, Any, T]]) -> T:
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
                del answering, awaited  # an exception of the request has this frame, and would form a circle


async def send_request(
    client: Client, subject: str, payload: bytes, headers: dict[str, str] | None = None
) -> dict[str, Any]:
    """Return what JetStream answers to a message, however long it takes. Raises NatsError."""
    # nats-py does not count headers, and the server closes the connection instead of an answer.
    size = len(payload) + sum(len(name) + len(value) + 4 for name, value in (headers or {}).items()) + _HEADER_BYTES
    if size > client.max_payload:
        raise NatsError(f"{subject}: {size} bytes are more than {client.max_payload}", reason=LARGE_MESSAGE)
    with translate_errors(subject):
        # The timeout of the source is in seconds of its clock, and covers more than the answer.
        answer = await client.request(subject, payload, timeout=None, headers=headers)  # type: ignore[arg-type]
    with check_answer(subject):
        body: dict[str, Any] = orjson.loads(answer.data)
        if error := body.get("error"):
            raise NatsError(f"{subject}: {error.get('description')}", code=error.get("err_code"))
    return body


@asynccontextmanager
async def open_inbox(client: Client) -> AsyncIterator[tuple[str, asyncio.Queue[Msg]]]:
    """Provide a subject for answers, and the queue that they come to."""
    import nats.errors  # noqa: PLC0415 - see connection

    inbox = client.new_inbox()
    answers: asyncio.Queue[Msg] = asyncio.Queue()
    with translate_errors(inbox):
        # No limits: a subscription drops messages above them, and the request is limited.
        subscription = await client.subscribe(inbox, cb=answers.put, pending_msgs_limit=0, pending_bytes_limit=0)
    try:
        yield inbox, answers
    finally:
        with suppress(nats.errors.ConnectionClosedError):  # and the subscription with it
            await subscription.unsubscribe()


@contextmanager
def translate_errors(subject: str) -> Iterator[None]:
    """Raise the exceptions of nats-py as NatsError."""
    import nats.errors  # noqa: PLC0415 - see connection

    try:
        yield
    except nats.errors.Error as error:
        raise NatsError(f"{subject}: {type(error).__name__}: {error}", reason=explain(error)) from error


@contextmanager
def check_answer(subject: str) -> Iterator[None]:
    """Raise what reading a malformed answer raises as NatsError."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise NatsError(f"{subject}: somebody other than JetStream answers", reason=INVALID_ANSWER) from error
