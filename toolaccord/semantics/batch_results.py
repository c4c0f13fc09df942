"""Lists of a batch's result."""

from __future__ import annotations

from typing import Final

UNPUBLISHED: Final = ("duplicate", "deferred")
"""Optional lists of results whose event was published before, or is sent later."""
