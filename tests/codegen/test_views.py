"""Check the labels of views, and the size of their pages."""

from pathlib import Path
from typing import Any

import pytest

from tests.codegen.test_cases import CASES, copy_input
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.diagnostics import ContractProblems
from toolaccord_codegen.ir.result_places import find_place, name_in_words
from toolaccord_codegen.rules.views.pages import LARGEST_PAGE


@pytest.mark.parametrize(
    "name, words",
    [
        ("max_drawdown", "Max drawdown"),
        ("sharpeRatio", "Sharpe ratio"),
        ("get_candles", "Get candles"),
        ("HTTPStatus", "HTTP status"),
        ("p95_ms", "P95 ms"),
        ("SECID", "SECID"),
        ("цена_закрытия", "Цена закрытия"),
        ("größe_im_lager", "Größe im lager"),
        ("unrealized_pnl", "Unrealized PnL"),
        ("PnL", "PnL"),
        ("rsi_14", "RSI 14"),
        ("ts", "Time"),
        ("num_constituents", "Number of constituents"),
        ("_", "_"),
    ],
)
def test_a_name_is_shown_in_words(name: str, words: str) -> None:
    assert name_in_words(name) == words


@pytest.mark.parametrize(
    "name, schema, label, unit",
    [
        ("weight_pct", {"type": "number"}, "Weight", "%"),
        ("size_bytes", {"type": ["integer", "null"]}, "Size", "bytes"),
        ("weight_pct", {"type": "number", "x-unit": "fraction"}, "Weight pct", "fraction"),
        ("weight_pct", {"type": "string"}, "Weight pct", None),
        ("weight_pct", {"type": "number", "title": "Share"}, "Share", "%"),
        ("ms", {"type": "number"}, "Ms", None),
    ],
)
def test_the_unit_of_a_number_is_declared_or_ends_its_name(
    name: str, schema: dict[str, Any], label: str, unit: str | None
) -> None:
    column = find_place({"type": "object", "properties": {name: schema}}, f"/{name}").describe()
    assert (column["label"], column.get("unit")) == (label, unit)


def test_a_page_is_rejected_above_the_bound(tmp_path: Path) -> None:
    copy_input(CASES / "views", tmp_path)
    page = tmp_path / "contracts/shop/own.html"
    page.write_text("x" * LARGEST_PAGE, encoding="utf-8")
    compile_folder(tmp_path / "contracts")
    page.write_text("x" * (LARGEST_PAGE + 1), encoding="utf-8")
    with pytest.raises(ContractProblems, match=r'VIEW_PAGE: "own.html" has 524289 bytes, and a host reads at most'):
        compile_folder(tmp_path / "contracts")
