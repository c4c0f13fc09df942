"""Durations as contracts write them."""

from __future__ import annotations

import re

UNITS_S = {"W": 604800, "D": 86400, "H": 3600, "M": 60, "S": 1}


def parse_duration(duration: str) -> int:
    """An ISO 8601 duration without months and years, whose lengths differ, in seconds."""
    return sum(int(count) * UNITS_S[unit] for count, unit in re.findall(r"([0-9]+)([WDHMS])", duration))
