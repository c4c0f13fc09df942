"""Results of backtests among the messages of the bus."""

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.gateway import results
from handlers.gateway.results import find_result, read_figures
from tests.handlers.gateway.arguments import make_result

IDS = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)


def test_the_result_of_an_id_is_found_among_others() -> None:
    messages = [make_result("r2", trades=2), make_result("r1", trades=1), make_result("r11", trades=3)]
    assert find_result(messages, "r1") == {
        "strategy_name": "n",
        "request_id": "r1",
        "sharpe": 0.85,
        "trades": 1,
    }
    assert find_result(messages, "r") is None
    assert find_result([], "r1") is None


def test_the_first_of_two_results_counts() -> None:
    found = find_result([make_result("r1", trades=2), make_result("r1", trades=1)], "r1")
    assert found is not None
    assert found["trades"] == 2


@pytest.mark.parametrize("written", [None, "NaN", True, [1.0], {}])
def test_a_figure_that_is_no_number_or_was_not_sent_is_null(written: object) -> None:
    sent = {"request_id": "r1", "sharpe": written, "trades": 3, "calmar": "high"}
    figures = {"sharpe": None, "trades": 3, "profit_factor": None, "win_rate": None, "max_dd": None}
    assert read_figures(sent) == {"request_id": "r1", "calmar": "high"} | figures


@pytest.mark.parametrize(
    "message",
    [
        b'((type . "CPCV_RESULT") (result . ((request_id . "r1"))))',
        b'((type . "BACKTEST_RESULT") (result . "request_id . \\"r1\\""))',
        b'((type . "BACKTEST_RESULT") (result . ((strategy_name . "request_id") (last . "r1"))))',
        b'((type . "BACKTEST_RESULT") (request_id . "r1"))',
        b'((type . "BACKTEST_RESULT") (result . ((request_id . "r2") (parent . ((request_id . "r1"))))))',
        b'("request_id" "r1")',
        b'"request_id" "r1"',
    ],
)
def test_messages_that_only_look_like_the_result_are_skipped(message: bytes) -> None:
    assert find_result([message], "r1") is None
    found = find_result([message, make_result("r1")], "r1")
    assert found is not None
    assert found["sharpe"] == 0.85


def test_a_message_that_is_no_s_expression_is_skipped_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert find_result([b'((request_id . "r1")', make_result("r1")], "r1") is not None
    (record,) = caplog.records
    assert "no S-expression" in record.getMessage()


def test_only_messages_with_the_id_in_its_place_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[bytes] = []
    monkeypatch.setattr(results, "parse", parsed.append)
    messages = [make_result(f"r{number}") for number in range(1000)]
    assert find_result(messages, "BACKTEST_RESULT") is None  # in quotes in every message
    assert find_result(messages, "n") is None
    assert find_result([b"(request_id" + b" " * 60_000 + b'"r1")'], "r1") is None  # blanks cost time, too
    assert parsed == []


def test_messages_that_name_an_id_without_its_result_take_a_bounded_time(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    parsed: list[bytes] = []
    monkeypatch.setattr(results, "parse", parsed.append)
    assert find_result([b'(request_id . "r1")' + bytes(65_000)] * 1000, "r1") is None
    assert len(parsed) == 5
    assert "older ones are skipped" in caplog.text


def test_a_result_has_any_size_that_the_source_admits() -> None:
    trades = " ".join("((pnl . 0.5))" for _ in range(30_000))
    message = make_result("r1").replace(b"(sharpe", f"(trade_list . ({trades})) (sharpe".encode())
    found = find_result([message], "r1")
    assert found is not None
    assert len(found["trade_list"]) == 30_000


def test_many_small_messages_before_a_result_do_not_hide_it() -> None:
    progress = b'((type . "BACKTEST_PROGRESS") (result . ((request_id . "r1") (done . 0.5))))'
    assert find_result([*[progress] * 999, make_result("r1")], "r1") is not None


@given(IDS, IDS)
def test_an_id_finds_its_own_result_alone(wanted: str, other: str) -> None:
    found = find_result([make_result(other)], wanted)
    assert (found is not None) == (wanted == other)
