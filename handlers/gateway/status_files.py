"""The status files that Swimmy writes: lines such as `EQUITY: 1005000.00`."""

import re
from collections.abc import Mapping

from handlers.gateway.universal_time import format_universal_time

_SECONDS = re.compile(r"[0-9]{1,18}")


def parse_status(content: bytes) -> dict[str, str]:
    """Return the values of a status file by their names in lower case.

    Swimmy writes line by line. A last line without its end is left out, because its number may lack digits. A line
    without a colon is left out; the last line of a name counts.
    """
    *lines, _unfinished = content.decode("utf-8-sig", "replace").split("\n")
    pairs = (line.partition(":") for line in lines)
    return {name.strip().lower(): value.strip() for name, colon, value in pairs if colon and name.strip()}


def parse_backtest_status(content: bytes) -> dict[str, str]:
    """Return the status file of backtests, with its timestamp in ISO 8601."""
    return _with_iso_timestamp(parse_status(content))


def _with_iso_timestamp(status: Mapping[str, str]) -> dict[str, str]:
    """Return *status* with a universal time as ISO 8601; another timestamp stays."""
    written = status.get("timestamp", "")
    timestamp = format_universal_time(int(written)) if _SECONDS.fullmatch(written) else None
    return {**status, "timestamp": timestamp} if timestamp else dict(status)
