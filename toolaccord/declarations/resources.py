"""Declarations of resources and completions; the compiler writes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from toolaccord.contract.policies import CacheHint, RateLimit
from toolaccord.declarations.causes import DeclaredError
from toolaccord.declarations.views import ViewFile
from toolaccord.json_values import JsonObject

if TYPE_CHECKING:  # the compiler imports this module
    from pydantic import BaseModel

Request = TypeVar("Request", bound="BaseModel")
Call = TypeVar("Call")

CompletionHandler: TypeAlias = (
    "Callable[[str, Call], Awaitable[Sequence[str]]] | Callable[[Call], Awaitable[Mapping[str, Sequence[str]]]]"
)
"""Takes a typed text and returns its completions, or lists all values with their names."""

ContentKind: TypeAlias = Literal["text", "binary", "json"]


@dataclass(frozen=True, slots=True)
class StaticText:
    """A text that never changes."""

    text: str
    """The text."""


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A generated copy of a file that never changes."""

    package: str
    """The server's package; the copy is in its folder `static`."""
    name: str
    """The name of the copy, which is base64 for a binary content."""


StaticContent: TypeAlias = StaticText | StaticFile | ViewFile
"""A content that never changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read(Generic[Request, Call]):
    """The reading of a resource by a handler."""

    sources: tuple[str, ...]
    """Names of the sources that it reads."""
    request: type[Request]
    """The model of the variables of the URI."""
    parameters: JsonObject
    """The schema of the variables of the URI."""
    returns: JsonObject | None = None
    """The schema of a JSON content, everything inlined; None for another content."""
    nullable_results: bool = False
    """True if `returns` admits null somewhere; otherwise members that are None are left out."""
    errors: tuple[DeclaredError, ...] = ()
    """The errors that it may fail with; if several apply, the first one counts."""
    timeout_ms: int
    """Its deadline in milliseconds."""
    rate_limit: RateLimit | None = None
    """The limit of a caller's reads; None without one."""
    asks: tuple[str, ...] = ()
    """Names of the asks that the handler may put to its caller."""
    handler: Callable[[Request, Call], Awaitable[str | bytes | BaseModel]]
    """The handler, a coroutine function."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion(Generic[Call]):
    """Completion of a value that a client's user types."""

    member: str
    """The name of the value."""
    values: tuple[str, ...] = ()
    """The values that the contract lists; empty where a handler finds them."""
    handler: CompletionHandler[Call] | None = None
    """The handler; None where the contract lists the values."""
    ttl_s: int | None = None
    """Seconds for which listed values are kept; None if the handler takes the typed text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource(Generic[Call]):
    """Content that clients read by its URI."""

    name: str
    """The name that clients show to programmers; unique among the resources of a server."""
    title: str | None = None
    """The name that people see; None without one."""
    description: str
    """The description for people and models that choose it."""
    uri: str | None = None
    """Its URI; None if it has a template."""
    uri_template: str | None = None
    """The template of its URIs, in level 1 of RFC 6570; None if it has one URI."""
    mime_type: str
    """The media type of its content."""
    kind: ContentKind
    """The kind of its content."""
    content: StaticContent | Read[Any, Call]
    """Its content, or the handler that reads it."""
    scopes: tuple[str, ...] = ()
    """The scopes that a caller needs for it beside those of the server."""
    cache: CacheHint | None = None
    """Advice on caching; None for none."""
    subscribe: bool = False
    """True if clients can subscribe to its changes."""
    completions: tuple[Completion[Call], ...] = ()
    """Completions of the variables of its template."""

    @property
    def read(self) -> Read[Any, Call] | None:
        """Return the reading by a handler; None for a content that never changes."""
        return self.content if isinstance(self.content, Read) else None
