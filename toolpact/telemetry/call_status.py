"""Outcome of a call, as logs, metrics and traces name it."""

from __future__ import annotations

from typing import Literal, TypeAlias

CallStatus: TypeAlias = Literal["success", "error", "cancelled"]
"""Outcome of a call; a cancelled call has no answer, because its caller abandoned it."""
