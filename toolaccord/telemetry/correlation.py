"""Correlation ids of calls: read from a call's `_meta`, and carried by its context."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

_CORR_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?")
"""Header `traceparent` of W3C Trace Context. Ids that are all zeros are invalid."""
_current: ContextVar[str | None] = ContextVar("corr_id", default=None)


def resolve_corr_id(meta: Mapping[str, Any] | None, trace_id: str | None = None) -> str:
    """Return the correlation id of a call.

    The first of these that exists counts: `corr_id` of *meta*, the trace id of its `traceparent`, *trace_id*, a new id.
    """
    corr_id, traceparent = (meta.get("corr_id"), meta.get("traceparent")) if meta else (None, None)
    if isinstance(corr_id, str) and _CORR_ID.fullmatch(corr_id):
        return corr_id
    parent = _TRACEPARENT.fullmatch(traceparent) if isinstance(traceparent, str) else None
    return parent[1] if parent else trace_id or os.urandom(16).hex()


def current_corr_id() -> str | None:
    """Return the correlation id of the running call; None outside a call."""
    return _current.get()


class CorrelationScope:
    """Context manager that gives log records a correlation id, also in tasks started within."""

    __slots__ = ("_corr_id", "_token")

    def __init__(self, corr_id: str) -> None:
        self._corr_id = corr_id

    def __enter__(self) -> None:
        """Set the correlation id."""
        self._token = _current.set(self._corr_id)

    def __exit__(self, *_: object) -> None:
        """Restore the correlation id from before."""
        _current.reset(self._token)
