"""Content of tools and prompts: the records that handlers return and typed clients receive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, TypeAlias, TypeVar

Result_co = TypeVar("Result_co", covariant=True)
Content_co = TypeVar("Content_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotations:
    """Advice to the client on the use of a content."""

    audience: tuple[Literal["user", "assistant"], ...] = ()
    """Those for whom it is meant; empty for everybody."""
    priority: float | None = None
    """Its importance from 0 to 1; None if unknown."""
    last_modified: datetime | None = None
    """Time of its last change; None if unknown."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text."""

    text: str
    """The text."""
    annotations: Annotations | None = None
    """Advice on its use."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image."""

    data: bytes
    """The bytes of the image file."""
    mime_type: str
    """Its media type, such as image/png."""
    annotations: Annotations | None = None
    """Advice on its use."""


@dataclass(frozen=True, slots=True)
class Audio:
    """A sound."""

    data: bytes
    """The bytes of the audio file."""
    mime_type: str
    """Its media type, such as audio/wav."""
    annotations: Annotations | None = None
    """Advice on its use."""


@dataclass(frozen=True, slots=True)
class EmbeddedResource:
    """A resource together with its content."""

    uri: str
    """The URI of the resource."""
    content: str | bytes
    """Its content, text or bytes."""
    mime_type: str | None = None
    """Its media type; None if unknown."""
    annotations: Annotations | None = None
    """Advice on its use."""


@dataclass(frozen=True, slots=True)
class ResourceLink:
    """A link to a resource that the client may read."""

    uri: str
    """The URI of the resource."""
    name: str
    """Its name for programs."""
    title: str | None = None
    """Its name for people; None without one."""
    description: str | None = None
    """Its description for the model; None without one."""
    mime_type: str | None = None
    """Its media type; None if unknown."""
    size: int | None = None
    """Its size in bytes; None if unknown."""
    annotations: Annotations | None = None
    """Advice on its use."""


Content: TypeAlias = Text | Image | Audio | EmbeddedResource | ResourceLink
"""One content of any kind."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a prompt."""

    role: Literal["user", "assistant"]
    """The one who says it."""
    content: Content
    """Its content."""


@dataclass(frozen=True, slots=True)
class WithContent(Generic[Result_co, Content_co]):
    """A result, and content for the model or the user beside it."""

    result: Result_co
    """The result."""
    content: Sequence[Content_co]
    """The content, in the order in which it is shown."""
