"""Colours of a terminal."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

RED, GREEN, BOLD = "31;1", "32;1", "1"


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours, where a terminal shows them."""

    on: bool

    def __call__(self, text: str, code: str) -> str:
        """Return the text in a colour, or as it is."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text


def wants_colour() -> bool:
    """Whether standard output shows colours: it is a terminal, and nobody has set NO_COLOR (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
