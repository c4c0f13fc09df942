"""Events: payloads are checked, encoded, and sent to their source."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pydantic import BaseModel, ValidationError

from toolaccord.call.results import BrokenResultError, encode_checked
from toolaccord.call.serialization import dump_records
from toolaccord.errors import SourceError
from toolaccord.handler import IdempotencyKey, Publication
from toolaccord.schema.validator import SchemaValidator
from toolaccord.sources import Source

if TYPE_CHECKING:
    from toolaccord.declarations.events import Event
    from toolaccord.sources.nats.api import Nats
    from toolaccord.sources.redis.api import Redis
    from toolaccord.sources.zmq.api import ZmqPub


@dataclass(frozen=True, slots=True)
class Message:
    """An event on its way to its source."""

    payloads: Sequence[bytes]
    """The payload, and if it is final, what replaces one of its id that is not."""
    message_id: str | None
    """Id of which a source accepts one message; None for none."""
    token: str
    """Random text that all attempts to send this message share."""


Send: TypeAlias = Callable[[Message], Awaitable[Publication]]
"""Sends a message. Raises SourceError."""
_Encode: TypeAlias = Callable[[SchemaValidator, Any], bytes]
"""Returns a payload, as Python values of JSON's types, as text. Raises BrokenResultError."""


class BoundEvent:
    """An event with its compiled schema and its source."""

    def __init__(self, event: Event, source: Source) -> None:
        self.event = event
        self.send = _bind(event, source)
        self.source = source
        self.encode = _encoder(event)

    def publisher(self, key: IdempotencyKey | None) -> EventPublisher:
        """Return the publisher of the event in a call with *key*."""
        return EventPublisher(self, key)

    @cached_property
    def payload(self) -> SchemaValidator:
        """Validator of the payload."""
        return SchemaValidator(self.event.payload)


class EventPublisher:
    """Publisher of one event in one call."""

    __slots__ = ("_bound", "_count", "_key")

    def __init__(self, bound: BoundEvent, key: IdempotencyKey | None) -> None:
        self._bound = bound
        self._key = key
        self._count = 0
        """Number of publications in this call so far."""

    @property
    def address(self) -> str:
        """Subject or channel of the event; empty on a zmq_pub source."""
        return self._bound.event.subject or self._bound.event.channel or ""

    async def publish(
        self, payload: Any, /, *, message_id: str | None = None, revision: Any | None = None
    ) -> Publication:
        """Publish *payload*, or *revision* in the place of one that is not final.

        Raises BrokenResultError if one breaks the contract, and SourceError.
        """
        payloads = [self._encode(each) for each in (payload, revision) if each is not None]
        self._count += 1
        if message_id is None and self._key is not None:
            message_id = _message_id(self._key, self._bound.event.name, self._count)
        return await self._send(Message(payloads, message_id, token_hex(16)))

    async def _send(self, message: Message) -> Publication:
        """Send *message*. Raises SourceError."""
        return await self._bound.send(message)

    def _encode(self, payload: Any) -> bytes:
        """Return *payload* as text. Raises BrokenResultError."""
        return self._bound.encode(self._bound.payload, dump_records(payload, nullable=self._bound.event.nullable))

    async def publish_once(self, payload: Any, /) -> Any:
        """Publish *payload* under the call's key; return the message that was stored first.

        Raises BrokenResultError if *payload* breaks the contract, and SourceError.
        """
        subject = self._bound.event.subject
        if subject is None or self._key is None:
            await self.publish(payload)
            return payload
        text = self._encode(payload)
        self._count += 1
        message_id = _message_id(self._key, self._bound.event.name, self._count)
        stored = await cast("Nats", self._bound.source).publish_once(subject, text, message_id=message_id)
        if stored == text:  # also if this message was sent again because the connection was lost
            return payload
        self._key.replay.is_set = True
        is_readable = stored is not None and self._bound.event.encoding == "json"
        return _parse(cast(bytes, stored), payload) if is_readable else payload


def bind_events(events: Iterable[Event], sources: Mapping[str, Source]) -> tuple[BoundEvent, ...]:
    """Return *events*, bound to their sources."""
    return tuple(BoundEvent(event, sources[event.source]) for event in events)


def _encoder(event: Event) -> _Encode:
    """Return the function that checks and encodes the payloads of *event*."""
    if event.encoding == "json":
        return encode_checked
    from toolaccord.s_expressions.writer import encode  # noqa: PLC0415 - only servers with such an event need it

    def encode_s_expression(schema: SchemaValidator, value: Any) -> bytes:
        encode_checked(schema, value)
        try:
            return encode(value, event.symbols)
        except ValueError as error:  # a number that is too large once it is rounded
            raise BrokenResultError(str(error)) from error

    return encode_s_expression


def _bind(event: Event, source: Source) -> Send:
    """Return the function that sends *event* to its subject, channel or endpoint."""
    if event.subject is not None:
        return partial(_send_to_subject, cast("Nats", source), event.subject)
    if event.channel is not None:
        return _bind_to_channel(cast("Redis", source), event.channel, event.duplicate_window_s)
    return partial(_send_to_endpoint, cast("ZmqPub", source))


async def _send_to_subject(nats: Nats, subject: str, message: Message) -> Publication:
    is_new = await nats.publish(subject, message.payloads[0], message_id=message.message_id)
    return "published" if is_new else "duplicate"


def _bind_to_channel(redis: Redis, channel: str, window_s: int | None) -> Send:
    """Return the function that publishes on *channel*, once for each message id in *window_s*."""

    async def send(message: Message) -> Publication:
        await redis.publish(channel, message.payloads[0])
        return "published"

    if window_s is None:
        return send
    from toolaccord.sources.redis.publication import publish_once  # noqa: PLC0415 - only servers with such an event need it

    async def send_once(message: Message) -> Publication:
        if message.message_id is None:
            return await send(message)
        return await publish_once(
            redis,
            channel,
            message.payloads,
            message_id=message.message_id,
            token=message.token,
            window_s=window_s,
        )

    return send_once


async def _send_to_endpoint(publisher: ZmqPub, message: Message) -> Publication:
    await publisher.publish(message.payloads[0], message_id=message.message_id)
    return "published"


def _parse(stored: bytes, payload: Any) -> Any:
    """Return a *stored* message in the type of *payload*.

    Raises SourceError if it is of another version.
    """
    if not isinstance(payload, BaseModel):
        return json.loads(stored)
    try:
        return type(payload).model_validate_json(stored)
    except ValidationError as error:
        reason = "the first message of an id has another form than its repetition; look which version published it"
        raise SourceError(reason=reason) from error


def _message_id(key: IdempotencyKey, event: str, number: int) -> str:
    """Return the id of a message, equal in every execution with equal key and arguments."""
    return sha256(json.dumps([key.tool, key.caller, key.key, key.fingerprint, event, number]).encode()).hexdigest()
