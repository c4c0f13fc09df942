"""Types that handlers use: pages, provisional results, progress and idempotency keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

T_co = TypeVar("T_co", covariant=True)
Payload_contra = TypeVar("Payload_contra", contravariant=True)

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


class Publisher(Protocol[Payload_contra]):
    """Publisher of one event."""

    @property
    def address(self) -> str:
        """Subject or channel of the event."""

    async def publish(self, payload: Payload_contra, /, *, message_id: str | None = None) -> None:
        """Publish *payload*; return when the source has accepted it. Raises SourceError.

        A payload that breaks the contract fails the call, and nothing is published. Of several messages with equal
        *message_id*, JetStream stores one, and a channel with `duplicate_window_s` carries one. In a call with an
        idempotency key, that key gives the message its id.
        """


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
