"""Work queue of JetStream, where each message waits for the acknowledgement of one worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from toolaccord.sources.nats.api import NatsError, QueueDeclaration, QueuedMessage, QueueMismatch
from toolaccord.sources.nats.jetstream import API, JetStream, check_answer, open_inbox, translate_errors

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

_STREAM_NOT_FOUND, _CONSUMER_NOT_FOUND, _SUBJECTS_OVERLAP = 10059, 10014, 10065
_WAIT_S = 1.0
"""Seconds for which JetStream holds a request for a message.

A pull is never interrupted, as the message on its way would be lost for a while. So this also delays a stop.
"""
_MAX_WAITING = 10_000
"""Largest number of workers that wait at once; JetStream's own default is 512."""
_MAX_STREAM_BYTES = 64 * 1024 * 1024
"""Bytes of the messages that wait; a request has some hundred."""
_NANOSECONDS = 1_000_000_000


class JetStreamWorkQueue:
    """A stream with the retention `workqueue`, and one durable pull consumer."""

    def __init__(self, jetstream: JetStream, declared: QueueDeclaration) -> None:
        self._jetstream = jetstream
        self._declared = declared
        self._next = f"{API}.CONSUMER.MSG.NEXT.{declared.stream}.{declared.consumer}"

    async def open(self) -> None:
        """Create the stream and the consumer that do not exist. Raises NatsError and QueueMismatch."""
        await self._within(self._open())

    async def pull(self, limit: int) -> Sequence[QueuedMessage]:
        """Return up to *limit* messages; wait a second for the first. Raises NatsError."""
        pulling = self._jetstream.retry(partial(self._pull, limit))
        return await self._jetstream.within(self._next, pulling, extra_s=_WAIT_S)

    async def ack(self, message: QueuedMessage) -> None:
        """Remove *message* from the queue. Raises NatsError."""
        await self._answer(message, b"+ACK")

    async def nak(self, message: QueuedMessage, *, delay_s: float = 0) -> None:
        """Let *message* be delivered again after *delay_s* seconds. Raises NatsError."""
        await self._answer(message, b"-NAK " + orjson.dumps({"delay": int(delay_s * _NANOSECONDS)}))

    async def extend(self, message: QueuedMessage) -> None:
        """Begin the time for the answer to *message* again. Raises NatsError."""
        await self._answer(message, b"+WPI")

    async def term(self, message: QueuedMessage) -> None:
        """Remove *message*, on which nobody shall work again. Raises NatsError."""
        await self._answer(message, b"+TERM")

    async def _within(self, request: Any) -> Any:
        return await self._jetstream.within(self._declared.stream, request)

    async def _open(self) -> None:
        declared = self._declared
        stream = await self._find(f"STREAM.INFO.{declared.stream}", _STREAM_NOT_FOUND)
        if stream is None:
            stream = await self._create(f"STREAM.CREATE.{declared.stream}", _stream_config(declared))
        consumer = await self._find(f"CONSUMER.INFO.{declared.stream}.{declared.consumer}", _CONSUMER_NOT_FOUND)
        if consumer is None:
            request = {"stream_name": declared.stream, "config": _consumer_config(declared)}
            consumer = await self._create(f"CONSUMER.DURABLE.CREATE.{declared.stream}.{declared.consumer}", request)
        with check_answer(declared.stream):
            differences = [*_stream_differences(declared, stream), *_consumer_differences(declared, consumer)]
        if differences:
            raise QueueMismatch("; ".join(differences))

    async def _find(self, request: str, missing: int) -> Mapping[str, Any] | None:
        """Return the configuration that *request* finds; None if the error code is *missing*."""
        try:
            found = await self._jetstream.call(f"{API}.{request}")
        except NatsError as error:
            if error.code != missing:
                raise
            return None
        return _config_of(found)

    async def _create(self, request: str, config: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the created configuration, or an equal one that another process has created."""
        try:
            return _config_of(await self._jetstream.call(f"{API}.{request}", dict(config)))
        except NatsError as error:
            if error.code != _SUBJECTS_OVERLAP:
                raise
            subject = self._declared.subject
            raise QueueMismatch(f"another stream than {self._declared.stream} has the subject {subject}") from error

    async def _pull(self, limit: int, client: Client) -> Sequence[QueuedMessage]:
        """Return the messages that are there, else the next one."""
        present = await self._request(client, limit, {"no_wait": True})
        return present or await self._request(client, 1, {"expires": int(_WAIT_S * _NANOSECONDS)})

    async def _request(self, client: Client, limit: int, options: Mapping[str, Any]) -> Sequence[QueuedMessage]:
        """Return what a request for messages brings."""
        messages: list[QueuedMessage] = []
        async with open_inbox(client) as (inbox, answers):
            with translate_errors(self._next):
                await client.publish(self._next, orjson.dumps({"batch": limit, **options}), reply=inbox)
            while len(messages) < limit and (message := self._read(await answers.get())):
                messages.append(message)
        return messages

    def _read(self, message: Msg) -> QueuedMessage | None:
        """Return a message of the queue; None if it says that there is none. Raises NatsError."""
        if not message.reply:
            headers = message.headers or {}
            if headers.get("Status") in ("404", "408"):
                return None
            text = f"{self._next}: {headers.get('Status')} {headers.get('Description', '')}"
            raise NatsError(text, reason=f"it did not serve the queue {self._declared.consumer}; look at its consumer")
        with check_answer(self._next):
            return QueuedMessage(
                payload=message.data,
                delivery=message.metadata.num_delivered,
                pending=message.metadata.num_pending,
                reply=message.reply,
            )

    async def _answer(self, message: QueuedMessage, answer: bytes) -> None:
        """Tell JetStream about *message*; return when it knows."""

        async def send(client: Client) -> None:
            with translate_errors(self._declared.stream):
                await client.request(message.reply, answer, timeout=None)  # type: ignore[arg-type]

        await self._within(self._jetstream.retry(send))


def _config_of(found: Mapping[str, Any]) -> Mapping[str, Any]:
    config: Mapping[str, Any] = found.get("config") or {}
    return config


def _stream_config(declared: QueueDeclaration) -> dict[str, Any]:
    return {
        "name": declared.stream,
        "subjects": [declared.subject],
        "retention": "workqueue",
        "storage": "file",
        "max_bytes": _MAX_STREAM_BYTES,
        "discard": "new",  # a scheduler learns that the queue is full; nothing that waits is lost
        "max_age": declared.max_age_s * _NANOSECONDS,
        "duplicate_window": declared.max_age_s * _NANOSECONDS,
    }


def _consumer_config(declared: QueueDeclaration) -> dict[str, Any]:
    return {
        "durable_name": declared.consumer,
        "deliver_policy": "all",
        "replay_policy": "instant",
        "ack_policy": "explicit",
        "ack_wait": int(declared.ack_wait_s * _NANOSECONDS),
        "max_deliver": declared.max_deliver,
        "max_ack_pending": -1,  # each worker has a limit of its own
        "max_waiting": _MAX_WAITING,
        "filter_subject": declared.subject,
    }


def _stream_differences(declared: QueueDeclaration, found: Mapping[str, Any]) -> list[str]:
    """Return sentences about values of a stream with which the queue would not work.

    Longer times do no harm.
    """
    name = f"the stream {declared.stream}"
    differences = []
    if found["retention"] != "workqueue":
        differences.append(f"{name} has the retention {found['retention']}, and needs workqueue")
    if declared.subject not in found["subjects"]:
        differences.append(f"{name} has the subjects {', '.join(found['subjects'])}, and needs {declared.subject}")
    for key in ("max_age", "duplicate_window"):
        seconds = found[key] / _NANOSECONDS
        if seconds < declared.max_age_s and (seconds or key != "max_age"):
            differences.append(f"{name} has the {key} {seconds:g} s, and needs {declared.max_age_s} s")
    return differences


def _consumer_differences(declared: QueueDeclaration, found: Mapping[str, Any]) -> list[str]:
    """Return sentences about values of a consumer with which the queue would not work."""
    wanted = {
        "ack_policy": "explicit",
        "max_deliver": declared.max_deliver,
        "filter_subject": declared.subject,
        "deliver_subject": "",
    }
    differences = [
        f"its consumer {declared.consumer} has the {key} {found.get(key, '') or 'none'}, and needs {value or 'none'}"
        for key, value in wanted.items()
        if found.get(key, "") != value
    ]
    ack_wait_s = found["ack_wait"] / _NANOSECONDS
    if ack_wait_s < declared.ack_wait_s:
        differences.append(
            f"its consumer {declared.consumer} has the ack_wait {ack_wait_s:g} s, and needs {declared.ack_wait_s:g} s"
        )
    return differences
