from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated.moex.errors import IssBadResponse
from handlers.moex.tables import read_number, read_rows, read_text, read_total
from tests.handlers.moex.exchange import MARKETDATA, answer, nothing, table

COLUMNS = ("LAST", "CHANGE", "SYSTIME")


@given(st.permutations(list(MARKETDATA)))
def test_columns_are_found_by_name_in_whatever_order_they_come(order: list[str]) -> None:
    assert read_rows({"marketdata": table(MARKETDATA, order)}, "marketdata", COLUMNS) == [MARKETDATA]


def test_a_block_may_have_no_rows() -> None:
    assert read_rows(nothing(), "marketdata", COLUMNS) == []


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(IssBadResponse, match="marketdata has no column LASTER, SOONER"):
        read_rows(answer(), "marketdata", ("LAST", "LASTER", "SOONER"))


def test_a_missing_column_is_noticed_without_any_row() -> None:
    with pytest.raises(IssBadResponse, match="no column LAST"):
        read_rows({"marketdata": {"columns": ["BID"], "data": []}}, "marketdata", COLUMNS)


def test_an_error_inside_success_is_a_bad_response_that_only_the_log_quotes() -> None:
    document = [{"charsetinfo": {"name": "utf-8"}}, {"securities": [{"error": "Error while acquiring data."}]}]
    with pytest.raises(IssBadResponse) as raised:
        read_rows(document, "securities", COLUMNS)
    assert (raised.value.message, raised.value.details) == ("The exchange answered with an error.", {})
    assert repr(raised.value.__cause__) == "SourceError('Error while acquiring data.')"


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        None,
        "maintenance",
        [{"charsetinfo": {"name": "utf-8"}}],
        [{"marketdata": [{"LAST": 1}]}],
        {"marketdata": None},
        {"marketdata": {"columns": ["LAST"]}},
        {"marketdata": {"columns": None, "data": []}},
        {"marketdata": {"columns": ["LAST"], "data": {}}},
        {"marketdata": {"columns": [["LAST"]], "data": []}},
    ],
)
def test_an_answer_without_the_block_is_a_bad_response(document: Any) -> None:
    with pytest.raises(IssBadResponse, match="has no block marketdata"):
        read_rows(document, "marketdata", ("LAST",))


@pytest.mark.parametrize("row", [[], [1], [1, 2, 3], None, {"LAST": 1}, "ab"])
def test_a_row_that_does_not_fit_its_columns_is_a_bad_response(row: Any) -> None:
    with pytest.raises(IssBadResponse, match="does not fit"):
        read_rows({"marketdata": {"columns": ["LAST", "OPEN"], "data": [row]}}, "marketdata", ("LAST",))


@pytest.mark.parametrize("value", [0, 270, 266.79, -0.01, 21586948000, 2**64 - 1])
def test_a_number_stays_as_the_exchange_wrote_it(value: float) -> None:
    found = read_number({"LAST": value}, "LAST")
    assert (found, type(found)) == (value, type(value))


def test_null_is_no_number_and_not_zero() -> None:
    assert read_number({"LAST": None}, "LAST") is None


def test_a_column_that_may_be_missing_is_as_if_it_were_null() -> None:
    assert read_number({}, "LAST") is None


@pytest.mark.parametrize("value", ["266.79", True, [266.79], {}, 2**64, -1.7e308, 5e-324])
def test_a_non_number_or_an_implausible_number_is_a_bad_response(value: Any) -> None:
    with pytest.raises(IssBadResponse, match="LAST"):
        read_number({"LAST": value}, "LAST")


@pytest.mark.parametrize(
    "blocks, expected",
    [
        ({"candles.cursor": {"columns": ["INDEX", "TOTAL", "PAGESIZE"], "data": [[0, 2, 500]]}}, 2),
        ({"candles.cursor": {"columns": ["PAGESIZE", "TOTAL"], "data": [[500, 0]]}}, 0),
        ({"candles.cursor": {"columns": ["INDEX", "TOTAL", "PAGESIZE"], "data": []}}, None),
        ({"candles.cursor": {"columns": ["INDEX"], "data": [[0]]}}, None),
        ({}, None),
        ([], None),
    ],
)
def test_the_total_of_rows_is_that_of_the_cursor(blocks: Any, expected: int | None) -> None:
    assert read_total(blocks, "candles") == expected


@pytest.mark.parametrize("value", [None, 20231018162543, ["2023-10-18"]])
def test_a_value_that_is_no_text_is_a_bad_response(value: Any) -> None:
    with pytest.raises(IssBadResponse, match="SYSTIME"):
        read_text({"SYSTIME": value}, "SYSTIME")


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["marketdata", "columns", "data", "error"]), inner)
        ),
    )
)
def test_no_answer_of_the_exchange_raises_anything_else(document: Any) -> None:
    try:
        found = read_rows(document, "marketdata", ())
    except IssBadResponse:
        return
    columns = document["marketdata"]["columns"]
    assert [row.keys() for row in found] == [dict.fromkeys(columns).keys()] * len(document["marketdata"]["data"])
