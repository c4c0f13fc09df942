"""Lisp universal time, in which Swimmy writes timestamps."""

from datetime import UTC, datetime, timedelta

UNIX_EPOCH = 2_208_988_800
"""The start of 1970 in universal time: seconds since 1900 in UTC.

The definition is that of ANSI Common Lisp, section 25.1.4.2.
"""
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = UNIX_EPOCH + (datetime.max.replace(tzinfo=UTC) - _FIRST) // timedelta(seconds=1)


def format_universal_time(seconds: int) -> str | None:
    """Return a universal time as ISO 8601 in UTC; None before 1970 and after 9999."""
    if not UNIX_EPOCH <= seconds <= _LAST:
        return None
    return (_FIRST + timedelta(seconds=seconds - UNIX_EPOCH)).strftime("%Y-%m-%dT%H:%M:%SZ")
