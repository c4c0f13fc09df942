"""The form of identifiers in requests."""

import re

LONGEST_SHOWN = 64
IDENTIFIER = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def is_identifier(text: str) -> bool:
    """Return whether *text* is a UUID in its usual form."""
    return IDENTIFIER.fullmatch(text) is not None


def not_found(what: str, identifier: str) -> str:
    """Return the sentence that there is no *what* with this identifier, which is cut where it is long."""
    shown = identifier if len(identifier) <= LONGEST_SHOWN else f"{identifier[:LONGEST_SHOWN]}…"
    return f"{what} with ID '{shown}' not found."
