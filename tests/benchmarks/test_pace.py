import sys
from pathlib import Path

import pytest

from benchmarks.pace import Pace
from benchmarks.processes import run


@pytest.mark.parametrize("rounds, budget_s, had", [(5, 3600, 5), (5, 0, 3), (2, 0, 2), (1, 0, 1)])
def test_there_are_at_least_three_rounds_and_more_where_time_allows(rounds: int, budget_s: float, had: int) -> None:
    assert len(list(Pace(rounds, budget_s).turns("abc", "something"))) == 3 * had


def test_one_round_may_be_enough() -> None:
    assert len(list(Pace(5, 0, least=1).turns("abc", "something"))) == 3


def test_each_round_starts_with_the_next_contender() -> None:
    assert "".join(Pace(3, 3600).turns("abc", "something")) == "abcbcacab"


def test_the_memory_of_a_process_does_not_include_that_of_its_parent(tmp_path: Path) -> None:
    ballast = bytearray(200 << 20)
    done = run(tmp_path, (sys.executable, "-I", "-S", "-c", "print('done')"), {})
    assert (done.status, done.output) == (0, "done\n")
    assert 1 < done.cost.memory_mib < len(ballast) >> 20
    assert done.cost.processor_s > 0
