"""The stand-in against captured answers: the same blocks, columns and types."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.iss.tables import Columns
from tests.sandbox.iss import ANALYTICS, BOARD, CANDLES, SBER, Asking, asking

CAPTURED = Path(__file__).parents[3] / "shared" / "iss_samples"
"""The captured answers, if there are any.

They belong to the exchange and are no part of this project.
"""
PAIRS: list[tuple[str, str, dict[str, Any]]] = [
    ("sber_tqbr_snapshot_20231018.json", SBER, {}),
    ("candles_daily_sber_20250601_cursor.json", CANDLES, {"from": "2025-06-01", "till": "2025-06-02"}),
    (
        "candles_hourly_gazp_like_20140609_with_metadata.json",
        f"{BOARD}/securities/GAZP/candles.json",
        {"from": "2014-06-09", "till": "2014-06-10", "interval": 60},
    ),
    ("analytics_imoex_20260306_two_rows.json", f"{ANALYTICS}/IMOEX.json", {"date": "2026-03-06"}),
]


@pytest.fixture(scope="module")
def iss() -> Iterator[Asking]:
    with asking(cursor=True) as each:
        yield each


def captured(name: str) -> Any:
    if not CAPTURED.is_dir():
        pytest.skip(f"no captured answers in {CAPTURED}")
    return json.loads((CAPTURED / name).read_text(encoding="utf-8"))


def types(table: dict[str, Any]) -> dict[str, set[str]]:
    """Return the JSON types of each column, except null."""
    columns = zip(table["columns"], zip(*table["data"], strict=True), strict=True)
    return {name: {kind(value) for value in values} - {"null"} for name, values in columns} if table["data"] else {}


def kind(value: Any) -> str:
    return {type(None): "null", int: "number", float: "number", str: "text"}[type(value)]


@pytest.mark.parametrize("name, path, query", PAIRS)
def test_every_captured_block_and_column_is_served_in_the_captured_order(
    iss: Asking, name: str, path: str, query: dict[str, Any]
) -> None:
    served = iss.get(path, query).json()
    for block, table in captured(name).items():
        columns = served[block]["columns"]
        assert columns[: len(table["columns"])] == table["columns"]


@pytest.mark.parametrize("name, path, query", PAIRS)
def test_a_value_is_of_the_captured_type(iss: Asking, name: str, path: str, query: dict[str, Any]) -> None:
    served = iss.get(path, query).json()
    for block, table in captured(name).items():
        here = types(served[block])
        for column, there in types(table).items():
            assert not there or here[column] <= there, column


@pytest.mark.parametrize("name, path, query", PAIRS)
def test_whole_numbers_are_whole_in_columns_of_integers(
    iss: Asking, name: str, path: str, query: dict[str, Any]
) -> None:
    assert captured(name)
    for table in iss.get(path, query).json().values():
        columns: Columns = {column: each["type"] for column, each in table["metadata"].items()}
        for row in table["data"]:
            for column, value in zip(table["columns"], row, strict=True):
                assert not columns[column].startswith("int") or value is None or isinstance(value, int)


def test_metadata_is_what_was_captured(iss: Asking) -> None:
    name, path, query = PAIRS[2]
    assert iss.get(path, query).json()["candles"]["metadata"] == captured(name)["candles"]["metadata"]


def test_times_are_those_of_the_captured_bars(iss: Asking) -> None:
    for name, path, query in PAIRS[1:3]:
        there = [row[-2:] for row in captured(name)["candles"]["data"]]
        here = [row[-2:] for row in iss.get(path, query).json()["candles"]["data"]]
        assert [begin for begin, _ in here] == [begin for begin, _ in there]
        assert [end[:-2] for _, end in here] == [end[:-2] for _, end in there]


def test_no_captured_row_is_served(iss: Asking) -> None:
    for name, path, query in PAIRS[:3]:
        served = iss.get(path, query).json()
        for block, table in captured(name).items():
            if not block.endswith(".cursor"):
                assert not [row for row in table["data"] if row in served[block]["data"]]


def test_an_error_inside_http_200_has_the_captured_shape(iss: Asking) -> None:
    there, here = captured("indices_error.json"), iss.get(f"{BOARD}/securities/ERRORBLOCK.json").json()
    assert here[0] == there[0]
    assert list(here[1].values()) == list(there[1].values())
