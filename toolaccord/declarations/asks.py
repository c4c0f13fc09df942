"""Declarations of asks, which are questions to callers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from toolaccord.contract import asks
from toolaccord.contract.asks import Roots, Sampling

if TYPE_CHECKING:  # the compiler imports this module
    from pydantic import BaseModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Elicitation(asks.Elicitation):
    """A form that the user of a client fills in; its schema is as MCP publishes it."""

    answer: type[BaseModel]
    """The model of the filled form."""


Ask: TypeAlias = Elicitation | Sampling | Roots
"""A question of any kind."""
