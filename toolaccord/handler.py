"""Types that handlers use: pages, provisional results, progress, messages, idempotency keys."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

T_co = TypeVar("T_co", covariant=True)
Payload = TypeVar("Payload")

Row: TypeAlias = Mapping[str, Any]
"""An item of a page as a database driver gives it: values by the contract's names.

Values become JSON as those of a record do, but none is converted: a text of digits stays a text. Absent members get no
defaults. An asyncpg Record is not a Mapping; `dict(record)` is.
"""


@dataclass(frozen=True, slots=True)
class Page(Generic[T_co]):
    """One page of a list, selected by the arguments `offset` and `limit`."""

    items: Sequence[T_co]
    """The items of the page, in order: records of the contract's model, or rows."""
    total: int
    """Number of items in the whole list."""


@dataclass(frozen=True, slots=True)
class Provisional(Generic[T_co]):
    """A result that may soon change for the same arguments, such as today's unfinished bar.

    It is answered like any other, and cached for the contract's `provisional_ttl_s`.
    """

    result: T_co
    """The result itself."""


class Progress(Protocol):
    """Receiver of progress reports."""

    async def __call__(self, done: float, /, total: float | None = None, message: str | None = None) -> None:
        """Report that *done* of *total* is done, in any unit; *message* describes it in a sentence."""


async def ignore_progress(_done: float, /, total: float | None = None, message: str | None = None) -> None:
    """Ignore a progress report."""


Level: TypeAlias = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
"""A severity of RFC 5424."""
LEVELS: tuple[Level, ...] = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""The severities, from the least to the gravest."""
SendMessage: TypeAlias = Callable[[Level, str, Mapping[str, Any]], Awaitable[None]]
"""Sends a message with its data at a severity."""


async def _discard(_level: Level, _message: str, _data: Mapping[str, Any], /) -> None:
    """Discard a message."""


class ClientLog:
    """Sends messages to the client of a call, which receives those at its level or above.

    Each method takes a sentence, and data of JSON types by name. Secrets are redacted in both. No method raises.
    """

    def __init__(self, send: SendMessage = _discard) -> None:
        self._send = send

    async def debug(self, message: str, /, **data: Any) -> None:
        """Send a detail for debugging."""
        await self._send("debug", message, data)

    async def info(self, message: str, /, **data: Any) -> None:
        """Send a message about usual work."""
        await self._send("info", message, data)

    async def notice(self, message: str, /, **data: Any) -> None:
        """Send a message about a usual but significant event."""
        await self._send("notice", message, data)

    async def warning(self, message: str, /, **data: Any) -> None:
        """Send a warning."""
        await self._send("warning", message, data)

    async def error(self, message: str, /, **data: Any) -> None:
        """Send a message about a failed operation."""
        await self._send("error", message, data)

    async def critical(self, message: str, /, **data: Any) -> None:
        """Send a message about a failed component."""
        await self._send("critical", message, data)

    async def alert(self, message: str, /, **data: Any) -> None:
        """Send a message that somebody must act on at once."""
        await self._send("alert", message, data)

    async def emergency(self, message: str, /, **data: Any) -> None:
        """Send a message about an unusable system."""
        await self._send("emergency", message, data)


Publication: TypeAlias = Literal["published", "replaced", "duplicate", "deferred"]
"""The kinds of end of a publication.

- published: the source accepted the message;
- replaced: it accepted a revision of the message with this id;
- duplicate: it had accepted a message with this id, and nothing was sent;
- deferred: the source failed, and an agent sends the message later.
"""


class Publisher(Protocol[Payload]):
    """Publisher of one event."""

    @property
    def address(self) -> str:
        """Subject or channel of the event."""

    async def publish(
        self, payload: Payload, /, *, message_id: str | None = None, revision: Payload | None = None
    ) -> Publication:
        """Publish *payload*; return when the source has accepted it. Raises SourceError.

        A payload that breaks the contract fails the call, and nothing is published. Of several messages with equal
        *message_id*, JetStream stores one, and a channel with `duplicate_window_s` carries one. In a call with an
        idempotency key, that key gives the message its id.

        With a *revision*, the payload is final. If a message with its id was published without one on such a channel,
        *revision* replaces that message.
        """

    async def publish_once(self, payload: Payload, /) -> Payload:
        """Publish *payload* under the call's idempotency key, and return the stored message.

        That is *payload*, or in a repeated call the message that JetStream stored first, if its stream still has it.
        Other sources store no messages.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Caller that a token proves; nothing of it is a name that a client gives itself."""

    issuer: str = ""
    """URL of the authorization server; empty for a token of this server's operator."""
    subject: str = ""
    """The user or the service in whose name the call is made; empty if the token names none."""
    client: str = ""
    """The program that calls; empty if the token names none."""
    scopes: frozenset[str] = frozenset()
    """Scopes of the token."""
    expires_at: float | None = None
    """End of the token, in seconds since 1970; None for one without an end."""
    claims: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    """All claims of the token, such as roles; none for a token of the operator."""
    identity: str = ""
    """A digest of issuer, subject and client: the same for each token of a caller."""

    def __post_init__(self) -> None:
        if not self.identity:
            text = json.dumps([self.issuer, self.subject, self.client])
            object.__setattr__(self, "identity", sha256(text.encode()).hexdigest())

    @property
    def name(self) -> str:
        """Return a name for people, as in the log."""
        return self.subject or self.client


class ReplayMark:
    """Mark of a call that repeats one with its key; whoever finds the earlier one sets it."""

    __slots__ = ("is_set",)

    def __init__(self) -> None:
        self.is_set = False
        """True once an earlier result was found, or an earlier message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """The key that identifies a call and its repetitions."""

    tool: str
    """The called tool."""
    caller: str
    """The caller; equal keys of two callers are different keys."""
    key: str
    """The key that the caller chose, or a digest of the call."""
    fingerprint: str
    """A digest of the arguments."""
    window_s: int
    """Seconds for which the key is remembered."""
    replay: ReplayMark = field(default_factory=ReplayMark, compare=False, repr=False)
    """Mark of a repetition."""
