"""Errors after which a call may be repeated."""

from __future__ import annotations

from toolaccord.errors import CallFailed, ToolError


def is_retryable(error: BaseException) -> bool:
    """Return whether the same call may succeed later: by the code of *error*, never by its text."""
    return isinstance(error, CallFailed | ToolError) and error.retryable


def find_retry_after_s(error: Exception) -> float | None:
    """Return the seconds that a busy server wants its caller to wait, or 0.

    None for an error that is final.
    """
    if not is_retryable(error):
        return None
    seconds = getattr(error, "details", {}).get("retry_after_s")
    return 0 if isinstance(seconds, bool) or not isinstance(seconds, int | float) else seconds
