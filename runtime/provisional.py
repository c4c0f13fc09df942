"""Results that may still change, as a handler marks them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Provisional(Generic[T_co]):
    """A result that may soon be another one for the same arguments, such as a bar of today.

    It is answered like any other, and kept for the contract's `provisional_ttl_s`.
    """

    result: T_co
    """What the handler would return otherwise."""
