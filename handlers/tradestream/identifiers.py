"""The form of identifiers in requests."""

import re

MAX_SHOWN_CHARS = 64
IDENTIFIER = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def is_identifier(text: str) -> bool:
    """Return whether *text* is a UUID in its usual form."""
    return IDENTIFIER.fullmatch(text) is not None


def not_found_message(what: str, identifier: str) -> str:
    """Return the message that no *what* has this identifier; a long one is cut."""
    shown = identifier if len(identifier) <= MAX_SHOWN_CHARS else f"{identifier[:MAX_SHOWN_CHARS]}…"
    return f"{what} with ID '{shown}' not found."
