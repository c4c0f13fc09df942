"""Declarations of resources and completions; the compiler writes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

from toolaccord.contract.policies import CacheHint
from toolaccord.declarations.operation import AnyOperation, Operation
from toolaccord.declarations.views import ViewFile

Call = TypeVar("Call")

CompletionHandler: TypeAlias = (
    "Callable[[str, Call], Awaitable[Sequence[str]]] | Callable[[Call], Awaitable[Mapping[str, Sequence[str]]]]"
)
"""Takes a typed text and returns its completions, or lists all values with their names."""

ContentKind: TypeAlias = Literal["text", "binary", "json"]


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A generated copy of a file that never changes."""

    package: str
    """The server's package; the copy is in its folder `static`."""
    name: str
    """The name of the copy, which is base64 for a binary content."""


StaticContent: TypeAlias = str | StaticFile | ViewFile
"""A content that never changes: a text, a copy of a file, or a page."""


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
    content: StaticContent | AnyOperation
    """Its content, or its reading by a handler."""
    scopes: tuple[str, ...] = ()
    """The scopes that a caller needs for it beside those of the server."""
    cache: CacheHint | None = None
    """Advice on caching; None for none."""
    subscribe: bool = False
    """True if clients can subscribe to its changes."""
    completions: tuple[Completion[Call], ...] = ()
    """Completions of the variables of its template."""

    @property
    def read(self) -> AnyOperation | None:
        """Return the reading by a handler; None for a content that never changes."""
        return self.content if isinstance(self.content, Operation) else None
