"""Measure toolaccord beside the SDK's servers and FastMCP, and write docs/benchmarks.md.

Run with `nox -s bench`. `--rounds 1` is a quick look.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from benchmarks import compiler, rounds, sizes
from benchmarks.contenders import Contender, contenders
from benchmarks.pace import Pace, log_progress
from benchmarks.page.front import draw_front, list_figures
from benchmarks.page.machine import describe_machine
from benchmarks.page.picture import draw
from benchmarks.page.report import report
from benchmarks.rounds import Measured
from benchmarks.sizes import Growth

ROOT = Path(__file__).parents[1]
_ROUNDS = 7
_BUDGET_S = 120.0
"""Seconds of each measurement; three rounds may exceed it."""
_SIZE_BUDGET_S = 12.0
"""Seconds for each size of a growth; one round may exceed it."""


def main() -> int:
    """Measure, and write the page and its pictures."""
    parser = ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=_ROUNDS, help=f"how often servers has a turn at most (default {_ROUNDS})"
    )
    parser.add_argument(
        "--out", type=Path, default=ROOT / "docs", help="the folder of the page and the pictures (default docs)"
    )
    chosen = parser.parse_args()
    pace = Pace(chosen.rounds, _BUDGET_S)
    machine, measured = describe_machine(), Measured()
    with contenders() as servers:
        log_progress(f"{', '.join(each.name for each in servers)}")
        rounds.measure_starts(servers, pace, measured)
        rounds.measure_calls(servers, pace, measured)
        rounds.measure_calls_over_http(servers, pace, measured)
        growths = _growing(servers, Pace(max(1, chosen.rounds // 3), _SIZE_BUDGET_S, least=1))
    costs = {times: compiler.measure(times, min(chosen.rounds, runs)) for times, runs in sizes.CONTRACTS.items()}
    growths = (*growths, sizes.contracts_a_run(costs))
    chosen.out.mkdir(parents=True, exist_ok=True)
    draw(measured, growths, chosen.out / "benchmarks.svg")
    (chosen.out / "against-fastmcp.svg").write_text(draw_front(list_figures(measured)), encoding="utf-8")
    page = report(machine, measured, growths, costs)
    (chosen.out / "benchmarks.md").write_text(page, encoding="utf-8")
    log_progress(f"wrote {chosen.out / 'benchmarks.md'}")
    return 0


def _growing(servers: Sequence[Contender], pace: Pace) -> tuple[Growth, ...]:
    """Measure the costs of servers by size."""
    rows = sizes.rows_a_page(servers, pace)
    tools = sizes.tools_a_server(pace)
    return rows, tools, *sizes.callers_at_once(servers, pace)


if __name__ == "__main__":
    raise SystemExit(main())
