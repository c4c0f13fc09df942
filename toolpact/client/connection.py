"""Ways to a server, as a client uses them. Whoever only declares a client need not load the MCP SDK, which takes a second."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, TypedDict

from toolpact.json_values import JsonObject

Era: TypeAlias = Literal["auto", "handshake", "stateless"]
"""The era of the protocol: through 2025-11-25, from 2026-07-28, or the newest that the server knows."""


class ConnectionOptions(TypedDict, total=False):
    """How a connection is opened."""

    name: str
    """Who calls, as the server's metrics and idempotency keys have it; `toolpact` by default."""
    era: Era
    """The era of the protocol to speak; `auto` by default."""
    open_timeout_s: float
    """Seconds that opening may take, a server's start included; 60 by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a tool answered, as it came."""

    text: str
    """The JSON text of the answer."""
    is_error: bool
    """Whether it is the envelope of failure."""
    corr_id: str | None
    """The correlation id beside it."""
    deprecation: Mapping[str, str] = field(default_factory=dict)
    """What stands beside it of a version that is to be left: `deprecated_on`, `sunset_on`, `successor`; nothing of any other."""


class Connection(Protocol):
    """The way to one server. Calls may run side by side, from any task."""

    async def open(self) -> None:
        """Reach the server. Raises TransportError."""

    async def close(self) -> None:
        """Leave the server; calls that still wait end with ServerGone."""

    async def call(self, tool: str, arguments: JsonObject, meta: JsonObject, timeout_s: float) -> Said:
        """Return what *tool* says. Raises TransportError, and BrokenAnswer where the answer is not one of a tool."""
