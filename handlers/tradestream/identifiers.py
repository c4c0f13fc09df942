"""The form of identifiers in requests."""

import re
from uuid import UUID

MAX_SHOWN_CHARS = 64
IDENTIFIER = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def parse_identifier(text: str) -> UUID | None:
    """Return the UUID in *text*; None for another form than the usual one."""
    return UUID(text) if IDENTIFIER.fullmatch(text) else None


def not_found_message(what: str, identifier: str) -> str:
    """Return the message that no *what* has this identifier; a long one is cut."""
    shown = identifier if len(identifier) <= MAX_SHOWN_CHARS else f"{identifier[:MAX_SHOWN_CHARS]}…"
    return f"{what} with ID '{shown}' not found."
