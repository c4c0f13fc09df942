"""Declarations of asks, which are questions to callers; the compiler writes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from toolaccord.json_values import JsonObject

if TYPE_CHECKING:  # the compiler imports this module
    from pydantic import BaseModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Elicitation:
    """A form that the user of a client fills in."""

    name: str
    """The name that handlers use."""
    message: str
    """The sentence above the form; `{name}` stands for a parameter."""
    schema: JsonObject
    """The schema of the form: an object without nested objects."""
    answer: type[BaseModel]
    """The model of the filled form."""
    optional: bool = False
    """True if a caller that cannot be asked counts as having declined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """A text that the language model of a client writes."""

    name: str
    """The name that handlers use."""
    message: str
    """The message to the model; `{name}` stands for a parameter."""
    system_prompt: str | None = None
    """The system prompt; None without one."""
    max_tokens: int
    """The largest length of the text, in tokens."""
    optional: bool = False
    """True if a caller that cannot be asked counts as having declined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roots:
    """The folders that a client opens to the server."""

    name: str
    """The name that handlers use."""
    optional: bool = False
    """True if a caller that cannot be asked counts as having declined."""


Ask: TypeAlias = Elicitation | Sampling | Roots
"""A question of any kind."""
