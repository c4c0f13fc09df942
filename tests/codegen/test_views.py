"""Check the labels of views, and the size of their pages."""

from pathlib import Path

import pytest

from tests.codegen.test_cases import CASES, copy_input
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.diagnostics import ContractProblems
from toolaccord_codegen.ir.result_places import name_in_words
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
        ("_", "_"),
    ],
)
def test_a_name_is_shown_in_words(name: str, words: str) -> None:
    assert name_in_words(name) == words


def test_a_page_is_rejected_above_the_bound(tmp_path: Path) -> None:
    copy_input(CASES / "views", tmp_path)
    page = tmp_path / "contracts/shop/own.html"
    page.write_text("x" * LARGEST_PAGE, encoding="utf-8")
    compile_folder(tmp_path / "contracts")
    page.write_text("x" * (LARGEST_PAGE + 1), encoding="utf-8")
    with pytest.raises(ContractProblems, match=r'VIEW_PAGE: "own.html" has 524289 bytes, and a host reads at most'):
        compile_folder(tmp_path / "contracts")
