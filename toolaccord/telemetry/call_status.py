"""Outcome of a call, as logs, metrics and traces name it."""

from __future__ import annotations

from typing import Literal, TypeAlias

CallStatus: TypeAlias = Literal["success", "error", "cancelled", "input_required", "deferred"]
"""Outcome of a call.

A cancelled call has no answer, because its caller abandoned it. One with `input_required` asks its caller, who repeats
it with the answers. A deferred one became a task.
"""
