"""The record of a task, as a store keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b, sha256
from typing import Any, Literal, NamedTuple, Self, TypeAlias, get_args

from toolaccord.json_values import JsonObject, decode_json, encode_json

Status: TypeAlias = Literal["working", "input_required", "completed", "failed", "cancelled"]
"""States of MCP's extension for tasks; the last three are final."""
FINAL: frozenset[Status] = frozenset({"completed", "failed", "cancelled"})
"""States that a task never leaves."""
ANONYMOUS = "anonymous"
"""Owner of the tasks of callers that nothing proves; for them, the id alone is the secret."""
_DIGEST_BYTES = 16


class DamagedTask(ValueError):
    """A stored value is no task of its key."""


class TaskKey(NamedTuple):
    """The name of a task in a store: whoever does not know both parts finds nothing."""

    owner: str
    """Identity of the caller that may see it, in letters and digits."""
    id: str
    """Random id, which callers know."""


class Progress(NamedTuple):
    """The part of a task that is done, in any unit."""

    done: float
    """The part that is done."""
    total: float | None
    """The whole; None if nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task: what is to be done, how far it is, and what came of it."""

    key: TaskKey
    """Its name in the store."""
    queue: str
    """The queue that its workers take it from: a tool, or an agent."""
    work: JsonObject
    """Work to be done, as JSON that its runner reads."""
    created_at: datetime
    """Time of its creation in UTC."""
    updated_at: datetime
    """Time of its last change in UTC."""
    ttl_s: float
    """Seconds from its creation for which it can be read."""
    poll_ms: int
    """Milliseconds that a reader should wait between two looks."""
    status: Status = "working"
    """Its state."""
    message: str | None = None
    """A sentence on its state for people; None without one."""
    progress: Progress | None = None
    """Part that is done; None if its handler did not say."""
    attempt: int = 0
    """Number of runs that have begun.

    A run changes the record only while this is its own number.
    """
    is_running: bool = False
    """True from the beginning of a run to its end.

    A worker that takes such a task knows that another one died.
    """
    crashes: int = 0
    """Number of runs whose worker died."""
    leg: int = 0
    """Number of times that it was put into its queue again, as after answers."""
    is_cancelled: bool = False
    """True once its caller wants no result; a run that goes on learns of it."""
    requests: JsonObject = field(default_factory=dict)
    """Questions to its caller that have no answer yet, by key."""
    rounds: JsonObject = field(default_factory=dict)
    """Earlier questions and answers, as JSON that its runner reads."""
    result: JsonObject | None = None
    """Result; None unless it is completed."""
    error: JsonObject | None = None
    """The error of JSON-RPC that ended it; None unless it is failed."""

    @property
    def expires_at(self) -> datetime:
        """Return the time from which nobody can read it."""
        return self.created_at + timedelta(seconds=self.ttl_s)

    @property
    def is_final(self) -> bool:
        """Return whether its state is final."""
        return self.status in FINAL

    def changed(self, now: datetime, **members: Any) -> Self:
        """Return the task with other *members*, which changes at *now*; its time never goes back."""
        return replace(self, updated_at=max(now, self.updated_at), **members)

    def encode(self) -> bytes:
        """Return the task as `<digest> <JSON>`; the digest is that of key and JSON."""
        members: JsonObject = {
            "queue": self.queue,
            "work": self.work,
            "created_at": self.created_at.timestamp(),
            "updated_at": self.updated_at.timestamp(),
            "ttl_s": self.ttl_s,
            "poll_ms": self.poll_ms,
            "status": self.status,
            "attempt": self.attempt,
        }
        for name in _OPTIONAL:
            if value := getattr(self, name):
                members[name] = value
        text = encode_json(members)
        return b"%s %s" % (_digest(self.key, text), text)

    @classmethod
    def decode(cls, key: TaskKey, value: bytes) -> Self:
        """Return the task *key* in *value*, which an `encode` made. Raises DamagedTask."""
        digest, _, text = value.partition(b" ")
        if digest != _digest(key, text):
            raise DamagedTask("the digest is not that of the record")
        try:
            task = cls(key=key, **_read_members(decode_json(text)))
            task.expires_at  # noqa: B018 - it may be beyond all times
        except (KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
            raise DamagedTask(f"{type(error).__name__}: {error}") from error
        return task


_OPTIONAL = (
    *("message", "progress", "is_running", "crashes", "leg", "is_cancelled"),
    *("requests", "rounds", "result", "error"),
)
"""Members that a record leaves out where they have no value."""
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("queue", "message"), str),
    **dict.fromkeys(("attempt", "crashes", "leg", "poll_ms"), int),
    **dict.fromkeys(("work", "requests", "rounds", "result", "error"), dict),
    "ttl_s": (int, float),
}
"""Types of members; whoever can write into the store can compute a digest."""


def _read_members(members: Mapping[str, Any]) -> JsonObject:
    """Return the *members* of a record as the fields of a task. Raises what a wrong one raises."""
    if members["status"] not in get_args(Status):
        raise ValueError(f"unknown status {members['status']!r:.40}")
    for name, kind in _TYPES.items():
        if name in members and not isinstance(members[name], kind):
            raise TypeError(f"{name} has a wrong type")
    read: JsonObject = {**members, **{name: _to_time(members[name]) for name in ("created_at", "updated_at")}}
    if "progress" in read:
        read["progress"] = Progress(*read["progress"])
    return read


def _to_time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _digest(key: TaskKey, text: bytes) -> bytes:
    secret = sha256("\n".join(key).encode()).digest()
    return blake2b(text, digest_size=_DIGEST_BYTES, key=secret).hexdigest().encode()
