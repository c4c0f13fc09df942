"""Sources whose answers depend on the caller."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from toolaccord.handler import Caller
from toolaccord.sources import Source


@runtime_checkable
class PerCaller(Protocol):
    """A source that shows each caller what it may see."""

    def as_seen_by(self, caller: Caller | None, /) -> Source:
        """Return the source as a *caller* sees it; None for one that nobody proves."""
