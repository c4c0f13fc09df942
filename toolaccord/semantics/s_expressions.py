"""Names that need no quotes in an S-expression."""

from __future__ import annotations

import re

_KEY = re.compile(r"[a-z][a-z0-9_]*")
_SYMBOL = re.compile(r"[a-z][a-z0-9-]*")
_OTHER_VALUES = frozenset({"false", "inf", "infinity", "nan", "nil", "null", "t", "true"})
"""Words that readers take for a boolean, a number or nothing."""


def is_key(name: str) -> bool:
    """Return whether *name* can be the key of a dotted pair."""
    return _KEY.fullmatch(name) is not None


def is_symbol(text: str) -> bool:
    """Return whether *text* is a symbol to every reader, and no other value."""
    return _SYMBOL.fullmatch(text) is not None and text not in _OTHER_VALUES
