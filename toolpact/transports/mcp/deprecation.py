"""What callers are told whose version of a tool is to be left: in `_meta` of a result, and in the headers of an answer over HTTP."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from urllib.parse import quote

from toolpact.json_values import JsonObject
from toolpact.versioning.lifecycle import Deprecation

_LAST_SECOND = time(23, 59, 59)


def meta(deprecation: Deprecation) -> JsonObject:
    """Return the members of `_meta`."""
    until = {} if deprecation.sunset_on is None else {"sunset_on": str(deprecation.sunset_on)}
    return {"deprecated_on": str(deprecation.deprecated_on), **until, "successor": deprecation.successor}


def headers(deprecation: Deprecation, path: str) -> dict[str, str]:
    """Return the headers of RFC 9745, RFC 8594 and RFC 5829; *path* is that of the tool, which takes the successor too."""
    said = {
        "Deprecation": f"@{_moment(deprecation.deprecated_on, time.min).timestamp():.0f}",
        "Link": f'<{quote(path)}?version={quote(deprecation.successor)}>; rel="successor-version"',
    }
    if deprecation.sunset_on is not None:
        said["Sunset"] = format_datetime(_moment(deprecation.sunset_on, _LAST_SECOND), usegmt=True)
    return said


def _moment(day: date, at: time) -> datetime:
    return datetime.combine(day, at, UTC)
