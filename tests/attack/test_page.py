"""docs/security.md against the attacks."""

import re

from tests.attack import page
from tests.attack.catalog import ATTACKS
from tests.attack.records import Outcome

KEPT = Outcome(inputs=1000, kept=1000, peak_mib=81.2, health_ms=(1.25, 40, 5000))


def rows(text: str) -> list[list[str]]:
    """Return the cells of each row about an attack."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines[1:]]


def test_the_page_lists_every_attack_with_its_promise() -> None:
    written = page.PAGE.read_text(encoding="utf-8").partition(page.BEGIN)[2].partition(page.END)[0]
    assert [row[:2] for row in rows(written)] == [[attack.name, attack.promise] for attack in ATTACKS]


def test_the_numbers_before_the_bounds_are_of_attacks_that_exist() -> None:
    assert page.read_before().keys() <= {attack.name for attack in ATTACKS}


def test_the_results_have_the_numbers_before_beside_them_and_name_what_broke() -> None:
    outcomes = dict.fromkeys((attack.name for attack in ATTACKS), KEPT)
    first, second, *_ = ATTACKS
    outcomes[second.name] = Outcome(inputs=1000, kept=999, failures=["x"])
    text = page.results(outcomes, {first.name: Outcome(inputs=10, kept=5, failures=["x"], peak_mib=4500)})
    numbers = ["1,000", "**broken** 50.0%", "100.0%", "4,500", "81", "", "1.2 / 40 / no answer"]
    assert rows(text)[0] == [first.name, first.promise, *numbers]
    assert rows(text)[1][2:] == ["1,000", "not run", "**broken** 99.9%", "", "", "", ""]
    assert f"Broken promises: {second.name}." in text


def test_a_run_of_some_attacks_replaces_only_their_rows_and_names_them() -> None:
    first, second, *others = (attack.name for attack in ATTACKS)
    broken = Outcome(inputs=1000, kept=999, failures=["x"])
    old = page.results(dict.fromkeys([first, *others], KEPT), {})
    once = page.with_newer(old, {second: broken}, {})
    assert [row[4] for row in rows(once)] == ["100.0%", "**broken** 99.9%", *["100.0%"] * len(others)]
    assert f": {second}.\n" in once
    assert f"Broken promises: {second}." in once
    twice = page.with_newer(once, {second: KEPT}, {})
    assert rows(twice) == rows(page.results(dict.fromkeys([first, second, *others], KEPT), {}))
    assert twice.count("Measured") == 2


def test_an_attack_that_did_not_run_says_so_in_the_page() -> None:
    outcomes = dict.fromkeys((attack.name for attack in ATTACKS), Outcome(not_run="no haproxy: offline"))
    assert {row[2] for row in rows(page.results(outcomes, {}))} == {"not run: no haproxy: offline"}


def test_the_promises_are_sentences_and_fit_into_a_table() -> None:
    assert [attack.promise for attack in ATTACKS if not re.fullmatch(r"[A-Z0-9][^|\n]*\.", attack.promise)] == []
