"""Declarations of prompts; the compiler writes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from toolaccord.contract.policies import RateLimit
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.resources import Completion, StaticFile
from toolaccord.json_values import JsonObject

if TYPE_CHECKING:  # a server's declaration imports this module, and the compiler
    from pydantic import BaseModel

    from toolaccord.content import Message

Call = TypeVar("Call")

Role: TypeAlias = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class TextMessage:
    """A text with the values of arguments."""

    role: Role
    """The one who says it."""
    text: str
    """The text; `{name}` stands for an argument."""


@dataclass(frozen=True, slots=True)
class ImageMessage:
    """An image that never changes."""

    role: Role
    """The one who says it."""
    file: StaticFile
    """The copy of the image, which is base64."""
    mime_type: str
    """Its media type."""


@dataclass(frozen=True, slots=True)
class ResourceMessage:
    """A static resource with its content."""

    role: Role
    """The one who says it."""
    resource: str
    """The name of the resource."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt(Generic[Call]):
    """Messages that people start a conversation with."""

    name: str
    """The name that people choose; unique among the prompts of a server."""
    title: str | None = None
    """The name that people see; None without one."""
    description: str
    """The description for people who choose it."""
    request: type[BaseModel]
    """The model of its arguments."""
    parameters: JsonObject
    """The schema of its arguments."""
    messages: tuple[TextMessage | ImageMessage | ResourceMessage, ...] = ()
    """Its messages; empty where a handler writes them."""
    handler: Callable[[Any, Call], Awaitable[Sequence[Message]]] | None = None
    """The handler, a coroutine function; None where the contract has the messages."""
    reads: tuple[str, ...] = ()
    """Names of the sources that the handler reads."""
    errors: tuple[DeclaredError, ...] = ()
    """The errors that it may fail with; if several apply, the first one counts."""
    rate_limit: RateLimit | None = None
    """The limit of a caller's requests; None without one."""
    asks: tuple[str, ...] = ()
    """Names of the asks that the handler may put to its caller."""
    timeout_ms: int
    """Its deadline in milliseconds."""
    scopes: tuple[str, ...] = ()
    """The scopes that a caller needs for it beside those of the server."""
    completions: tuple[Completion[Call], ...] = ()
    """Completions of its arguments."""
