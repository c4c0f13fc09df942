"""docs/lint.md against the rules."""

from pathlib import Path

from toolaccord_codegen.lint.catalog import RULES
from toolaccord_codegen.lint.rules.size import BUDGET_BYTES
from toolaccord_codegen.lint.rules.units import AMOUNTS, DURATIONS, RATES

PAGE = (Path(__file__).parents[2] / "docs" / "lint.md").read_text(encoding="utf-8")


def test_the_page_lists_every_rule() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `") and line.count("|") == 5]
    assert rows == [
        f"| `{name}` | {r.summary} | {r.why} | {'yes' if r.is_fixable else ''} |" for name, r in RULES.items()
    ]


def test_the_page_names_the_words_that_ask_for_a_unit_and_the_budget() -> None:
    words = " ".join(PAGE.split())
    for kind, names in (("rates", RATES), ("amounts", AMOUNTS), ("durations", DURATIONS)):
        shown = words.partition(f"{kind} (")[2].partition(")")[0]
        assert set(shown.split(", ")) == names
    assert f"{BUDGET_BYTES:,} bytes" in PAGE
