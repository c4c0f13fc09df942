"""Durations, dates and versions in contracts."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from toolaccord.semantics.versions import parse_version

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


def is_in_range(version: Any, caret: str) -> bool:
    """Return True for a version in a caret range, as npm reads it.

    It is not below that of the range, and equal up to the range's first number that is not 0. Where all are 0, the
    last one counts: `^0` is `0.*.*`.
    """
    found = parse_version(version)
    least = [int(part) for part in caret.removeprefix("^").split(".")]
    fixed = next((index for index, number in enumerate(least) if number), len(least) - 1) + 1
    return found is not None and list(found) >= least and list(found[:fixed]) == least[:fixed]
