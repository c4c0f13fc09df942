"""Colours of a terminal."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

RED, GREEN, BOLD = "31;1", "32;1", "1"


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours for a terminal that shows them."""

    on: bool

    def __call__(self, text: str, code: str) -> str:
        """Return the text in a colour, or unchanged without colours."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text


def wants_colour() -> bool:
    """Return True for a terminal on standard output, unless NO_COLOR is set (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
