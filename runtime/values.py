"""What JSON can say, as Python types."""

from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object: its members by name."""
