from dataclasses import replace

import pytest

from benchmarks.compiler import TIMES, steps
from benchmarks.contenders import TOOLACCORD
from benchmarks.figures import Bound, Spread, Target, number, percentile, processor_ratios, ratios, spread
from benchmarks.page import report as page_of_benchmarks
from benchmarks.page.machine import Machine
from benchmarks.page.report import report
from benchmarks.page.targets import TARGETS
from benchmarks.processes import Cost
from benchmarks.rounds import Measured
from benchmarks.sizes import Growth

LESS = Target("a title", "a measure", ("slow", "fast"), Bound.AT_MOST, 0.5)
MORE = Target("a title", "a measure", ("slow", "fast"), Bound.AT_LEAST, 4)
MACHINE = Machine("a processor", 2, 16.0, "Linux", "CPython 3", {"mcp": "2.3.0"}, "abc1234", "2026-11-22", 0.4)


def test_a_spread_is_the_median_and_the_quartiles() -> None:
    assert spread([5, 1, 4, 2, 3]) == Spread(2, 3, 4)
    assert spread([7]) == Spread(7, 7, 7)


@pytest.mark.parametrize("share, expected", [(0.5, 50), (0.95, 95), (0.99, 99), (1.0, 100), (0.001, 1)])
def test_a_percentile_is_a_number_that_was_measured(share: float, expected: float) -> None:
    assert percentile(range(100, 0, -1), share) == expected


def test_a_ratio_compares_a_round_with_the_best_rival_of_that_round() -> None:
    samples = {"ours": [10, 30], "slow": [40, 50], "fast": [20, 90]}
    assert ratios(samples, "ours", LESS) == [10 / 20, 30 / 50]
    assert ratios(samples, "ours", MORE) == [10 / 40, 30 / 90]


def test_a_ratio_of_processor_times_has_the_direction_of_the_ratio_beside_it() -> None:
    samples = {"ours": [10, 30], "slow": [40, 50], "fast": [20, 90]}
    assert processor_ratios(samples, "ours", LESS) == [10 / 20, 30 / 50]
    assert processor_ratios(samples, "ours", MORE) == [20 / 10, 50 / 30]


def test_rounds_without_all_contenders_do_not_count() -> None:
    with pytest.raises(ValueError, match="zip"):
        ratios({"ours": [1, 2], "slow": [1, 2], "fast": [1]}, "ours", LESS)


def test_a_target_is_met_at_its_bound_and_beyond() -> None:
    assert [LESS.met(ratio) for ratio in (0.4, 0.5, 0.51)] == [True, True, False]
    assert [MORE.met(ratio) for ratio in (3.9, 4, 5)] == [False, True, True]


@pytest.mark.parametrize(
    "value, written", [(12345.6, "12,346"), (45.67, "45.7"), (4.567, "4.57"), (0.04567, "0.046"), (0, "0.000")]
)
def test_a_number_has_three_digits_and_at_most_three_decimals(value: float, written: str) -> None:
    assert number(value) == written


def test_the_page_shows_each_target_beside_its_number_and_marks_missed_ones() -> None:
    measured = Measured()
    everyone = {TOOLACCORD, *(name for target in TARGETS for name in target.rivals)}
    for measure in _every_measure():
        for name in sorted(everyone):
            measured.samples[measure][name] = [2.0 if name == TOOLACCORD else 4.0] * 3
            measured.latencies[measure][name] = [1.0, 2.0]
    growth = Growth("Rows a page", "ms", (1, 1000), {TOOLACCORD: [1.0, 2.5]})
    compiled = {times: {step.name: Cost(times * 0.9, times * 0.5, 40) for step in steps()} for times in (1, TIMES)}
    page = report(MACHINE, measured, [growth], compiled)
    rows = [line for line in page.splitlines() if "**0.500** (0.500 to 0.500)" in line]
    assert len(rows) == len(TARGETS)
    for row, target in zip(rows, TARGETS, strict=True):
        assert row.startswith(f"| {target.title} | 2.00 |")
        assert f"| {target.bound.value} {target.ratio:g} | {'yes' if target.met(0.5) else 'no'} |" in row
    assert "2026-11-22, commit abc1234; rounds: 3 of starts" in page
    assert "busy" not in page
    assert "the machine was busy" in report(replace(MACHINE, load=0.6), measured, [growth], compiled)
    assert "| | 1 | 1,000 |\n|---|---:|---:|\n| toolaccord | 1.00 | 2.50 |" in page
    assert "| generate, from nothing | 0.50 | ≤ 2.2 | yes | 0.90 | 40 | 5.00 | 10.0 | ≤ 12 | yes |" in page


def _every_measure() -> set[str]:
    tables = {*page_of_benchmarks.ROWS.values(), *page_of_benchmarks._LATENCIES.values()}
    return {*tables, *(each for target in TARGETS for each in (target.measure, target.processor) if each)}
