"""Deprecation notices for callers of older versions, in `_meta` and in HTTP headers."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING
from urllib.parse import quote

from toolaccord.json_values import JsonObject

if TYPE_CHECKING:  # a server without older versions does not load them
    from toolaccord.versioning.lifecycle import Deprecation

_LAST_SECOND = time(23, 59, 59)


def to_meta(deprecation: Deprecation) -> JsonObject:
    """Return the notice as `_meta`: `deprecated_on`, `successor`, and `sunset_on` if set."""
    sunset = {} if deprecation.sunset_on is None else {"sunset_on": str(deprecation.sunset_on)}
    return {"deprecated_on": str(deprecation.deprecated_on), **sunset, "successor": deprecation.successor}


def to_headers(deprecation: Deprecation, path: str) -> dict[str, str]:
    """Return the notice as headers of RFC 9745, RFC 8594 and RFC 5829.

    *path* is that of the tool, where the successor can be called too.
    """
    headers = {
        "Deprecation": f"@{_at(deprecation.deprecated_on, time.min).timestamp():.0f}",
        "Link": f'<{quote(path)}?version={quote(deprecation.successor)}>; rel="successor-version"',
    }
    if deprecation.sunset_on is not None:
        from email.utils import format_datetime  # noqa: PLC0415 - notices without headers need none

        headers["Sunset"] = format_datetime(_at(deprecation.sunset_on, _LAST_SECOND), usegmt=True)
    return headers


def _at(day: date, time_of_day: time) -> datetime:
    return datetime.combine(day, time_of_day, UTC)
