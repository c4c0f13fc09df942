"""A question, of which more and more is understood."""

from __future__ import annotations

import re

from handlers.agents.questions.catalogue import normalise

TAKEN = "\u00a4"
"""Stands for each character that is understood."""


class Reading:
    """A text with single spaces, and what of it is not understood yet."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.rest = normalise(self.text)
        """In lower case, with TAKEN for what is understood; as long as the text."""

    def take(self, start: int, end: int) -> None:
        """Note that the characters from *start* to *end* are understood."""
        self.rest = f"{self.rest[:start]}{TAKEN * (end - start)}{self.rest[end:]}"

    def take_first(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return the first match of *pattern*, which then is understood."""
        match = pattern.search(self.rest)
        if match:
            self.take(*match.span())
        return match

    def take_all(self, pattern: re.Pattern[str]) -> bool:
        """Return whether *pattern* matches; all its matches then are understood."""
        found = list(pattern.finditer(self.rest))
        for match in found:
            self.take(*match.span())
        return bool(found)
