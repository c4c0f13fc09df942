"""Bucket of tasks: a stream that has the newest value of each."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping, Sequence
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import orjson

from toolaccord.sources.nats.api import NatsError
from toolaccord.sources.nats.jetstream import API, JetStream, check_answer, open_inbox, send_request
from toolaccord.sources.nats.streams import NANOSECONDS, NO_MESSAGE, open_stream
from toolaccord.tasks.task import TaskKey

if TYPE_CHECKING:
    from nats.aio.client import Client

_OTHER_SEQUENCE = (10071, 10164)
"""JetStream's codes for a value that is not the expected one."""
_HEADER, _ID = "Toolaccord-Task", "Nats-Msg-Id"
_HEADERS = re.compile(r"^([^:\r\n]+): *([^\r\n]*)\r$", re.MULTILINE)
_IDLE_S = 10
"""Seconds after which JetStream drops a consumer whose reader has died."""
_BUCKET: Mapping[str, Any] = {
    "storage": "file",
    "max_bytes": 1024 * 1024 * 1024,  # a record has some kilobytes, and at most the server's max_payload
    "discard": "new",  # a full bucket rejects tasks, and loses none
    "duplicate_window": 120 * NANOSECONDS,
}


class Mark(NamedTuple):
    """Facts beside a value, which the next value takes over."""

    expires_at: float
    """Time in seconds from which nobody can read the task."""
    created: int
    """Position of its first message among those of all queues."""
    queued: int
    """Position of the message by which workers take it; another one is void."""

    @classmethod
    def decode(cls, text: str) -> Self | None:
        """Return the mark in *text*; None if there is none."""
        try:
            expires_at, created, queued = text.split()
            return cls(float(expires_at), int(created), int(queued))
        except ValueError:
            return None

    def encode(self) -> str:
        """Return the mark as text."""
        return " ".join(map(repr, self))


class Revision(int):
    """Number of a value, with its mark."""

    mark: Mark

    @classmethod
    def of(cls, sequence: int, mark: Mark) -> Self:
        """Return the revision *sequence* with its *mark*."""
        revision = cls(sequence)
        revision.mark = mark
        return revision


class Record(NamedTuple):
    """A value of the bucket."""

    value: bytes
    """The encoded task."""
    sequence: int
    """Position of the value among those of all tasks."""
    mark: Mark | None
    """Facts beside it; None for a value that is no task of this store."""
    id: str | None
    """Random id of the writing."""

    def is_readable(self, now: float) -> bool:
        """Return whether it is a task that has not expired at *now*."""
        return self.mark is not None and now < self.mark.expires_at


class TaskBucket:
    """The values of all tasks, each under its owner and id."""

    def __init__(self, jetstream: JetStream, name: str) -> None:
        self._jetstream = jetstream
        self._subject = f"$KV.{name}"
        self._stream = f"KV_{name}"

    async def open(self, max_age_s: int) -> None:
        """Create the bucket, unless it exists. Raises NatsError and QueueMismatch."""
        needed = {
            "retention": "limits",
            "subjects": [f"{self._subject}.>"],
            "max_age": max_age_s * NANOSECONDS,
            "max_msgs_per_subject": 1,
            "allow_direct": False,  # replicas would answer with older values
        }
        opening = open_stream(self._jetstream, self._stream, needed, _BUCKET)
        await self._jetstream.within(self._stream, opening)

    async def put(self, key: TaskKey, value: bytes, mark: Mark, *, after: int) -> Revision | None:
        """Store a value; return None if the one before is not that of the sequence *after*.

        Zero stands for none before. Raises NatsError.
        """
        headers = {
            "Nats-Expected-Last-Subject-Sequence": str(int(after)),
            _ID: (own := token_hex(16)),
            _HEADER: mark.encode(),
        }
        subject = f"{self._subject}.{key.owner}.{key.id}"
        try:
            put = await self._jetstream.within(self._stream, self._jetstream.publish(subject, value, headers))
        except NatsError as error:
            if error.code not in _OTHER_SEQUENCE:
                raise
            # Sent again after a lost connection, a value meets itself.
            found = await self.find(key)
            return Revision.of(found.sequence, mark) if found and found.id == own else None
        return Revision.of(int(put["seq"]), mark)

    async def find(self, key: TaskKey) -> Record | None:
        """Return the newest value of *key*, also one that has expired. Raises NatsError."""
        wanted = {"last_by_subj": f"{self._subject}.{key.owner}.{key.id}"}
        request = f"{API}.STREAM.MSG.GET.{self._stream}"
        try:
            found = await self._jetstream.within(self._stream, self._jetstream.call(request, wanted))
        except NatsError as error:
            if error.code != NO_MESSAGE:
                raise
            return None
        with check_answer(request):
            message = found["message"]
            headers = dict(_HEADERS.findall(b64decode(message.get("hdrs", "")).decode()))
            mark = Mark.decode(headers.get(_HEADER, ""))
            return Record(b64decode(message.get("data", "")), int(message["seq"]), mark, headers.get(_ID))

    async def find_marks(self, owner: str) -> Sequence[tuple[TaskKey, Mark]]:
        """Return all tasks of *owner*, also expired ones, with their marks. Raises NatsError."""
        finding = self._jetstream.retry(partial(self._read_marks, owner))
        return await self._jetstream.within(self._stream, finding)

    async def _read_marks(self, owner: str, client: Client) -> Sequence[tuple[TaskKey, Mark]]:
        found: list[tuple[TaskKey, Mark]] = []
        async with open_inbox(client) as (inbox, answers):
            config = {
                "filter_subject": f"{self._subject}.{owner}.*",
                "deliver_policy": "last_per_subject",
                "deliver_subject": inbox,
                "headers_only": True,
                "ack_policy": "none",
                "replay_policy": "instant",
                "mem_storage": True,
                "inactive_threshold": _IDLE_S * NANOSECONDS,
            }
            request = orjson.dumps({"stream_name": self._stream, "config": config})
            created = await send_request(client, f"{API}.CONSUMER.CREATE.{self._stream}", request)
            with check_answer(self._stream):
                pending = created["num_pending"] + created["delivered"]["consumer_seq"]
                while pending:
                    answer = await answers.get()
                    pending = answer.metadata.num_pending
                    if mark := Mark.decode((answer.headers or {}).get(_HEADER, "")):
                        found.append((TaskKey(owner, answer.subject.rpartition(".")[2]), mark))
            await send_request(client, f"{API}.CONSUMER.DELETE.{self._stream}.{created['name']}", b"")
        return found
