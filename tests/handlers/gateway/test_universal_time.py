"""Universal time as ISO 8601."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handlers.gateway.universal_time import UNIX_EPOCH, format_universal_time

LAST = 253_402_300_799
"""The last second of 9999 since 1970."""


@pytest.mark.parametrize(
    "seconds,expected",
    [
        (2_208_988_800, "1970-01-01T00:00:00Z"),
        (3_973_000_000, "2025-11-24T19:06:40Z"),
        (2_208_988_799, None),
        (0, None),
        (-1, None),
        (255_611_289_599, "9999-12-31T23:59:59Z"),
        (255_611_289_600, None),
    ],
)
def test_seconds_since_1900_are_a_time_in_utc(seconds: int, expected: str | None) -> None:
    assert format_universal_time(seconds) == expected


@given(st.integers(0, LAST))
@example(4_107_542_399)  # the end of February 2100, which is no leap year
def test_the_written_time_is_the_same_moment(seconds: int) -> None:
    written = format_universal_time(UNIX_EPOCH + seconds)
    assert written is not None
    assert datetime.fromisoformat(written) == datetime.fromtimestamp(seconds, UTC)
