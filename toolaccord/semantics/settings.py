"""Settings of servers and agents, as contracts declare them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

SettingValue: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A value that a server reads from the environment."""

    name: str
    """The name in contract and handlers."""
    env: str
    """The environment variable."""
    description: str
    """The purpose of the setting."""
    schema: dict[str, Any]
    """The JSON Schema of the value; `type` is one of string, integer, number, boolean."""
    default: SettingValue = None
    """The value without the environment variable."""
    required: bool = False
    """True if the server needs it to start."""
    secret: bool = False
    """True if the value must never appear in output."""

    @property
    def is_prompted(self) -> bool:
        """True where a host should prompt its user for the value."""
        return self.required or self.secret
