"""Universal time as ISO 8601."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handlers.gateway.universal_time import UNIX_EPOCH, format_universal_time

SECONDS = st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 31, 23, 59, 59)).map(
    lambda moment: moment.replace(microsecond=0, tzinfo=UTC)
)


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


@given(SECONDS)
@example(datetime(2100, 2, 28, 23, 59, 59, tzinfo=UTC))
def test_the_written_time_is_the_same_moment(moment: datetime) -> None:
    written = format_universal_time(UNIX_EPOCH + int(moment.timestamp()))
    assert written is not None
    assert datetime.fromisoformat(written) == moment
