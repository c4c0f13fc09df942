"""Interface between clients and their connections.

This module does not import the MCP SDK, which takes a second: generated clients import it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict

from toolaccord.client.declarations import AskAnswers
from toolaccord.json_values import JsonObject

if TYPE_CHECKING:  # a client without tasks does not load it
    from toolaccord.client.task_states import TaskState

Era: TypeAlias = Literal["auto", "handshake", "stateless"]
"""Protocol era of a connection.

`handshake` covers versions through 2025-11-25, `stateless` those from 2026-07-28. `auto` takes the newest the server
has.
"""


READ, GET_PROMPT, COMPLETE, LIST_TOOLS = "resources/read", "prompts/get", "completion/complete", "tools/list"
"""Methods of MCP beside `tools/call`; no tool has a name with a slash."""
CALL_AS_TASK, GET_TASK, UPDATE_TASK, CANCEL_TASK = "tools/call", "tasks/get", "tasks/update", "tasks/cancel"
"""Methods of MCP's extension for tasks; a call that is sent so may become a task."""
ANSWER = "answer/request"
"""No method of MCP: the client's callbacks answer the `request` with a `key`."""
TASK_METHODS = frozenset({CALL_AS_TASK, GET_TASK, UPDATE_TASK, CANCEL_TASK, ANSWER})
"""Methods of clients that follow tasks."""


class ConnectionOptions(TypedDict, total=False):
    """Options for opening a connection."""

    name: str
    """Name of the client in the server's metrics and idempotency keys; `toolaccord` by default."""
    era: Era
    """Protocol era; `auto` by default."""
    open_timeout_s: float
    """Time limit for opening, including the server's start, in seconds; 60 by default."""
    answers: AskAnswers | Mapping[str, Any]
    """Answers to the asks of the server, or callbacks of the SDK's client.

    Without them it cannot ask.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResponse:
    """Unparsed response of a tool."""

    text: str
    """JSON text of the envelope; for a tool with content that of envelope and content.

    The content of a resource is as it is, or in base64. Messages of a prompt and completions are as MCP sends them.
    """
    is_error: bool
    """True if the text is the failure envelope."""
    corr_id: str | None
    """Correlation id from `_meta`."""
    deprecation: Mapping[str, str] = field(default_factory=dict)
    """`deprecated_on`, `sunset_on` and `successor` of a deprecated version; empty for any other."""
    replayed: bool = False
    """True if the result is that of an earlier call with the same idempotency key."""
    blocks: Sequence[Any] = ()
    """Blocks of content as the SDK's models, the text of the envelope included."""
    structured: Any = None
    """`structuredContent`; None without it."""
    task: TaskState | None = None
    """State of a task; None of a call.

    Once it is completed, the response is its result.
    """


class Connection(Protocol):
    """Connection to one server. Calls may run concurrently, from any task."""

    async def open(self) -> None:
        """Open the connection. Raises TransportError."""

    async def close(self) -> None:
        """Close the connection; calls in flight raise ServerGone."""

    async def call(self, tool: str, arguments: JsonObject, meta: JsonObject, timeout_s: float) -> ToolResponse:
        """Return the response of *tool*. Raises TransportError or BrokenAnswer.

        *tool* may be `READ`, `GET_PROMPT`, `COMPLETE`, `LIST_TOOLS` or one of `TASK_METHODS`, and *arguments* then the
        parameters of this method. `READ` may also raise ResourceNotFound, methods of tasks TaskNotFound.
        """


def find_token_error(token: str) -> str | None:
    """Return the reason why *token* is no bearer token; None if it is one.

    Libraries would show such a token in their errors.
    """
    is_token = token.isascii() and token.isprintable() and token == token.strip()
    return None if is_token else "has a space, a line break or a character that no token has"
