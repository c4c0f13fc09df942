"""Durations, dates and versions in contracts."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

UNITS_S = {"W": 604800, "D": 86400, "H": 3600, "M": 60, "S": 1}


def parse_duration(duration: str) -> int:
    """Return an ISO 8601 duration in seconds.

    Months and years are not allowed, since their lengths differ.
    """
    return sum(int(count) * UNITS_S[unit] for count, unit in re.findall(r"([0-9]+)([WDHMS])", duration))


def parse_date(text: Any) -> date | None:
    """Return an ISO 8601 date; None for any other value."""
    try:
        return date.fromisoformat(str(text))
    except ValueError:
        return None


def parse_version(version: Any) -> tuple[int, int, int] | None:
    """Return the numbers of a version; None for any other value."""
    parts = str(version).split(".")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        return None
    return int(parts[0]), int(parts[1]), int(parts[2])
