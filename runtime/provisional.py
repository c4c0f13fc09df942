"""Results that may still change, as a handler marks them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Provisional(Generic[T]):
    """A result that may soon be another one for the same arguments, such as a bar of today.

    It is answered like any other, and kept for the contract's `provisional_ttl_s`.
    """

    result: T
    """What the handler would return otherwise."""
