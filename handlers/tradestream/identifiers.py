"""The form of identifiers in requests."""

import re

IDENTIFIER = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def is_identifier(text: str) -> bool:
    """Return whether *text* is a UUID in its usual form."""
    return IDENTIFIER.fullmatch(text) is not None
