"""Identifiers as callers write them."""

import re

IDENTIFIER = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def is_identifier(text: str) -> bool:
    """Whether *text* may be the identifier of something: a UUID in its usual form."""
    return IDENTIFIER.fullmatch(text) is not None
