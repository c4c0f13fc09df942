"""Status files, whole and half written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.gateway.status_files import parse_backtest_status, parse_status

SWIMMY = b"TIME: 2026-11-21 21:00:00\nTICKS: 48120\nEQUITY: 1005000.00\nPNL: -2310.50\nMT5: ONLINE\n"
BACKTEST = b"timestamp: 3973000000\ncount: 12\nlast_name: A: B\nlast_request_id: N/A\n"
NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,20}", fullmatch=True)
VALUES = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]))


def test_names_are_in_lower_case_and_values_are_texts() -> None:
    assert parse_status(SWIMMY) == {
        "time": "2026-11-21 21:00:00",
        "ticks": "48120",
        "equity": "1005000.00",
        "pnl": "-2310.50",
        "mt5": "ONLINE",
    }


def test_the_timestamp_of_backtests_is_in_iso_8601() -> None:
    assert parse_backtest_status(BACKTEST) == {
        "timestamp": "2025-11-24T19:06:40Z",
        "count": "12",
        "last_name": "A: B",
        "last_request_id": "N/A",
    }


@pytest.mark.parametrize("written", ["", "N/A", "-1", "1700000000", "3973000000.5", "9" * 5000, "٣٩٧٣٠٠٠٠٠٠"])
def test_a_timestamp_that_is_no_universal_time_stays_as_it_is(written: str) -> None:
    assert parse_backtest_status(f"timestamp: {written}\n".encode()) == {"timestamp": written}


@pytest.mark.parametrize("content", [b"", b"\n", b"no colon\n", b": no name\n", b"TICKS: 4", b"\xef\xbb\xbf"])
def test_content_without_a_whole_line_is_empty(content: bytes) -> None:
    assert parse_status(content) == {}


def test_windows_lines_a_byte_order_mark_and_foreign_bytes_are_read() -> None:
    assert parse_status(b"\xef\xbb\xbfTIME: 1\r\nTICKS: \xff\r\n") == {"time": "1", "ticks": "\ufffd"}


def test_the_last_line_of_a_name_counts() -> None:
    assert parse_status(b"TICKS: 1\nticks: 2\n") == {"ticks": "2"}


@pytest.mark.parametrize("size", range(len(SWIMMY)))
def test_a_half_written_file_has_whole_values_only(size: int) -> None:
    assert parse_status(SWIMMY[:size]).items() <= parse_status(SWIMMY).items()


@given(st.dictionaries(NAMES, VALUES), st.integers(0, 1_000))
def test_every_beginning_of_a_file_has_values_of_the_whole(lines: dict[str, str], size: int) -> None:
    content = "".join(f"{name}: {value}\n" for name, value in lines.items()).encode()
    whole = {name.lower(): value.strip() for name, value in lines.items()}
    assert parse_status(content) == whole
    if len(whole) == len(lines):  # no name was written twice
        assert parse_status(content[:size]).items() <= whole.items()


@given(st.binary())
def test_any_content_is_texts_by_name(content: bytes) -> None:
    for name, value in parse_backtest_status(content).items():
        assert name == name.strip().lower()
        assert value == value.strip()
