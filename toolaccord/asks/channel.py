"""Interface between asks and the transport that carries them to the caller."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol, TypeVar

from toolaccord.json_values import JsonObject

T = TypeVar("T")

ELICITATION, SAMPLING, ROOTS = "elicitation/create", "sampling/createMessage", "roots/list"
"""Methods of MCP by which a server asks."""
CAPABILITIES: dict[str, str] = {ELICITATION: "elicitation", SAMPLING: "sampling", ROOTS: "roots"}
"""Capability that a client needs for each method."""
MAX_ASKS = 20
"""Asks that one call may make, in all of its rounds."""


class AskError(Exception):
    """A call failed because an ask has no answer; the text is for the caller."""


class MissingCapability(AskError):
    """The caller cannot be asked: its client lacks *capability*."""

    def __init__(self, name: str, capability: str) -> None:
        super().__init__(
            f"This call asks its caller ({name}), and needs a client with the capability {capability}; "
            "over HTTP in 2025-11-25 also a session."
        )
        self.capability = capability


class Unanswered(AskError):
    """Nobody answered an ask in time."""


class Refused(Exception):
    """The client answered an ask with an error; the text is the client's."""


class InputRequired(Exception):
    """A call cannot go on without answers."""

    def __init__(self, requests: JsonObject, state: str) -> None:
        super().__init__("answers are needed")
        self.requests = requests
        """The requests to the caller, by key."""
        self.state = state
        """The state that the next round needs."""


class AskChannel(Protocol):
    """Way to the caller of one call."""

    def supports(self, method: str) -> bool:
        """Return whether the caller answers requests of *method*."""

    async def send(self, key: str, method: str, params: JsonObject) -> JsonObject:
        """Return the result of a request to the caller; *key* is its name within the call.

        Raises Refused and AskError.
        """

    async def run(self, handler: Awaitable[T]) -> T:
        """Return the result of *handler*, which may send. Raises what it raises, and InputRequired."""
