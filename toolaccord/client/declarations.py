"""Declarations of servers and tools for their clients; the compiler writes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from toolaccord.contract.dialects import Dialect
from toolaccord.declarations.causes import DeclaredError
from toolaccord.json_values import JsonObject

if TYPE_CHECKING:  # a client of tools alone does not load it
    from toolaccord.content import Message

Request = TypeVar("Request", bound=BaseModel)
Result = TypeVar("Result")

_TRANSFER_ALLOWANCE_S = 5.0
"""Seconds added to the tool's deadline, for the transfer of request and response."""


AskCallback: TypeAlias = Callable[..., Awaitable[Any]]
"""Answers one ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAnswers:
    """Callbacks that answer the asks of a server, by the names of the asks."""

    elicitation: Mapping[str, AskCallback]
    """Callbacks for forms; each takes the message."""
    sampling: Mapping[str, AskCallback]
    """Callbacks for texts; each takes the message."""
    roots: Mapping[str, AskCallback]
    """Callbacks for folders; each takes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteServer:
    """Declaration of one server, for its clients."""

    name: str
    """Name of the server, as hosts show it."""
    module: str
    """Module that runs the server."""
    dialect: Dialect
    """Dialect that gives the shapes of its answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteTask:
    """Declaration of a tool whose calls may become tasks."""

    ttl_s: float
    """Seconds for which a task can be read."""
    is_required: bool = False
    """True if each call becomes a task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteTool(Generic[Request, Result]):
    """Declaration of one tool, for clients of its server."""

    name: str
    """Name of the tool in calls."""
    request: type[Request]
    """Model of its arguments."""
    result: type[Result]
    """Model of its result; for a `ContentTool` the type of its result with content."""
    errors: tuple[DeclaredError, ...] = ()
    """Errors that it declares, with their causes."""
    timeout_s: float
    """Its deadline in seconds."""
    nullable_arguments: bool = False
    """True if `parameters` admits null somewhere; otherwise None is omitted."""
    parameters: JsonObject | None = field(default=None, hash=False)
    """Schema of its arguments; None if the server alone checks them."""
    version: str | None = None
    """Version that the client requests; None for an operation beside tools, which has none."""
    writes: bool = False
    """True if a call changes a source or publishes an event."""
    cache_bypass: str | None = None
    """Argument that asks for a result that no cache supplies; None if there is none."""
    task: RemoteTask | None = None
    """Its calls may become tasks; None if they never do."""

    @property
    def default_timeout_s(self) -> float:
        """Seconds that a call may take unless its caller gives another time limit."""
        limit_s = self.task.ttl_s if self.task and self.task.is_required else self.timeout_s
        return limit_s + _TRANSFER_ALLOWANCE_S


@dataclass(frozen=True, slots=True, kw_only=True)
class PagedTool(RemoteTool[Request, Result]):
    """Declaration of a tool that returns one page of a list, selected by `offset` and `limit`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentTool(RemoteTool[Request, Result]):
    """Declaration of a tool that returns content, alone or with a result."""

    model: type[BaseModel] | None = None
    """Model of the result beside the content; None if the tool returns content alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteResource(RemoteTool[Any, Result]):
    """Declaration of one resource; its result is a text, bytes, or the model of a JSON content."""

    address: str
    """Its URI, or the template of its URIs."""
    request: type[Any] = BaseModel
    """Model of the variables of its URI."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemotePrompt(RemoteTool[Request, "tuple[Message, ...]"]):
    """Declaration of one prompt; its result is its messages."""

    prompt: str
    """Its name."""
    result: type[tuple[Message, ...]] = tuple
    """Type of its messages."""


class Completed(BaseModel):
    """Values that a text can become."""

    model_config = ConfigDict(frozen=True)

    values: tuple[str, ...]
    """The first of them, at most 100."""
    total: int | None = None
    """Number of all; None if unknown."""
    has_more: bool = Field(default=False, alias="hasMore")
    """True if there are more than `values`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteCompletion(RemoteTool[Any, Completed]):
    """Declaration of the completion of one value.

    The value is an argument of a prompt, or a variable of a template.
    """

    prompt: str | None = None
    """Name of the prompt; None for a variable."""
    uri_template: str | None = None
    """Template of the variable; None for an argument."""
    member: str
    """Name of the value."""
    request: type[Any] = BaseModel
    """Model without members: a completion takes a text."""
    result: type[Completed] = Completed
    """Type of the values."""

    @property
    def reference(self) -> dict[str, str | None]:
        """Owner of the value, as MCP sends it."""
        if self.prompt is None:
            return {"type": "ref/resource", "uri": self.uri_template}
        return {"type": "ref/prompt", "name": self.prompt}
