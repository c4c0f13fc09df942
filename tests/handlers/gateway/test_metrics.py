"""The metrics file, whole and half written."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.gateway.metrics import parse_metrics
from toolaccord.s_expressions.reader import SExpressionError

METRICS = (
    b"((swimmy.school::schema_version . 1) (swimmy.school::timestamp . 3973000000) "
    b"(swimmy.school::heap_used_bytes . 402915328) (swimmy.school::heap_used_mb . 384.25) "
    b"(swimmy.school::strategy_count . 64) (swimmy.school::uptime_seconds . 3600))"
)


def test_members_have_no_package_and_the_timestamp_is_in_iso_8601() -> None:
    assert parse_metrics(METRICS) == {
        "schema_version": 1,
        "timestamp": "2025-11-24T19:06:40Z",
        "heap_used_bytes": 402_915_328,
        "heap_used_mb": 384.25,
        "strategy_count": 64,
        "uptime_seconds": 3600,
    }


def test_members_of_another_schema_version_are_passed_on() -> None:
    written = b'((schema_version . 2) (Uptime-Seconds . 3600) (timestamp . "now") (on . #t) (of . (1 2)))\n'
    assert parse_metrics(written) == {
        "schema_version": 2,
        "uptime_seconds": 3600,
        "timestamp": "now",
        "on": True,
        "of": [1, 2],
    }


def test_metrics_have_any_size_that_the_source_admits() -> None:
    assert len(parse_metrics(b"(%b)" % b" ".join(b"(key_%d . 1)" % number for number in range(10_000)))) == 10_000


@pytest.mark.parametrize("written", [b"1700000000", b"3973000000.5", b"-1", b"t"])
def test_a_timestamp_that_is_no_universal_time_stays_as_it_is(written: bytes) -> None:
    assert not isinstance(parse_metrics(b"((timestamp . %b))" % written)["timestamp"], str)


@pytest.mark.parametrize("content", [b"", b"12", b'"text"', b"(1 2)", b"()", b"((a . 1)) ((b . 2))", b"{}", b"\xff"])
def test_content_that_is_no_association_list_is_an_error(content: bytes) -> None:
    with pytest.raises(SExpressionError):
        parse_metrics(content)


@pytest.mark.parametrize("size", range(len(METRICS)))
def test_a_half_written_file_is_an_error(size: int) -> None:
    with pytest.raises(SExpressionError):
        parse_metrics(METRICS[:size])


@given(st.binary() | st.text(alphabet="()\"\\.#;:|'ab1 -e").map(str.encode))
def test_any_content_is_an_object_or_an_error(content: bytes) -> None:
    with suppress(SExpressionError):
        assert isinstance(parse_metrics(content), dict)
