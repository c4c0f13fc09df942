"""Answers to asks, as handlers and typed clients exchange them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Accepted(Generic[T_co]):
    """The user filled in the form."""

    answer: T_co
    """The form, as the contract's model."""


@dataclass(frozen=True, slots=True)
class Declined:
    """The user, or the client for the user, said no."""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The user closed the form without a choice."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """The client's language model wrote a text."""

    text: str
    """The text."""
    model: str
    """The name of the model."""


@dataclass(frozen=True, slots=True)
class Root:
    """A folder or file that the client opens to the server."""

    uri: str
    """Its URI, `file://…`."""
    name: str | None = None
    """A name for people; None without one."""
