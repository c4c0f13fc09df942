"""Sources of kinds of your own: what a declaration has, and a base for the client.

A kind is the name of a declaration: a frozen record with the contract's keys as fields.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar, Protocol

from toolaccord.errors import SourceError
from toolaccord.json_values import JsonObject
from toolaccord.sources import SourceDeclaration
from toolaccord.sources.availability import Availability
from toolaccord.timing.clock import Clock, SystemClock

SETTING: JsonObject = {
    "type": "object",
    "properties": {"setting": {"type": "string", "description": "Name of a setting."}},
    "required": ["setting"],
    "additionalProperties": False,
    "description": "Setting with the value.",
}
"""Schema of a key whose value is in a setting; its field holds the name of the setting."""


class CustomSourceDeclaration(SourceDeclaration, Protocol):
    """A source of a kind of your own, as the contract declares it."""

    schema: ClassVar[JsonObject]
    """JSON Schema of the keys in contracts, without `kind`.

    The fields of the record beside `name` have the same names.
    """


class CustomSource(ABC):
    """An open source, whose state is in the metrics, and whose outages are in the log."""

    def __init__(self, kind: str, name: str, place: str = "", clock: Clock | None = None) -> None:
        """Take the *kind* and the *name* of the declaration, and an address without credentials.

        *clock* is that of `open`; without it, a test that moves a clock by hand does not move the circuit breaker's.
        """
        self.availability = Availability(kind, name, place, clock or SystemClock())
        """State of the source, as calls and checks found it."""

    @property
    def kind(self) -> str:
        """Kind of the system that answers."""
        return self.availability.kind

    async def start(self) -> None:
        """Connect before the first call. Raises SourceError."""
        await self.check()

    @abstractmethod
    async def check(self) -> None:
        """Check at little cost that the source answers. Raises SourceError."""

    @abstractmethod
    async def close(self) -> None:
        """Close every connection, in bounded time."""

    @contextmanager
    def attempt(self, *failures: type[Exception]) -> Iterator[None]:
        """Talk to the source in the block.

        An exception of *failures* shows that the source did not answer, and is raised as a SourceError. Any other is
        the handler's, such as a row that exists already. Raises SourceError at once while the circuit breaker is open.
        """
        with self.availability.request():
            try:
                yield
            except failures as error:
                failed = SourceError(f"{type(error).__name__}: {error}")
                failed.service = self.kind
                raise failed from error
