"""How far a call is, as its handler tells its caller."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Protocol

_LOG = logging.getLogger(__name__)


class Progress(Protocol):
    """Hears how far a call is."""

    async def __call__(self, done: float, /, total: float | None = None, message: str | None = None) -> None:
        """Take note that *done* of *total* is done, in any unit; *message* says what, in a sentence."""


async def unheard(_done: float, /, total: float | None = None, message: str | None = None) -> None:
    """Tell nobody."""


class Growth:
    """Tells *listener* how a call gets on, with secrets cut out by *hide*. The protocol wants each report to be further than the last.

    JSON has no word for numbers that are not finite: they are left out.
    """

    def __init__(self, listener: Progress, hide: Callable[[str], str]) -> None:
        self._listener = listener
        self._hide = hide
        self._last = -math.inf

    async def __call__(self, done: float, /, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the call is. Raises nothing: a caller who cannot be told still wants the result."""
        if not self._last < done < math.inf:
            return
        self._last = done
        known = total if total is not None and math.isfinite(total) else None
        try:
            await self._listener(done, known, None if message is None else self._hide(message))
        except Exception:
            _LOG.warning("progress could not be told", exc_info=True)
