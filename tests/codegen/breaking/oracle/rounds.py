"""Judge rounds of random pairs, the same pairs on each run."""

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.codegen.breaking.oracle.judge import Tally, judge
from tests.codegen.breaking.oracle.pairs import Written, pairs, written


def judge_round(number: int, count: int) -> tuple[Tally, str]:
    """Judge *count* pairs, the same for each *number*; return the tally, or the fault."""
    tally = Tally()

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(pairs().flatmap(written))
    def judge_pair(pair: tuple[Written, Written]) -> None:
        judge(pair, tally)

    try:
        judge_pair()
    except AssertionError as error:
        return Tally(), "\n".join([f"round {number}: {error}", *getattr(error, "__notes__", [])])
    return tally, ""
