"""Durations in contracts."""

from __future__ import annotations

import re

UNITS_S = {"W": 604800, "D": 86400, "H": 3600, "M": 60, "S": 1}


def parse_duration(duration: str) -> int:
    """Return an ISO 8601 duration in seconds.

    Months and years are not allowed, since their lengths differ.
    """
    return sum(int(count) * UNITS_S[unit] for count, unit in re.findall(r"([0-9]+)([WDHMS])", duration))
