"""Runs toolpact, the SDK's servers and FastMCP side by side, in turns; writes docs/benchmarks.md and its picture.

Run with `nox -s bench`. `--rounds 1` is a quick look.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from benchmarks import compiler, rounds, sizes
from benchmarks.contenders import Contender, contenders
from benchmarks.machine import machine
from benchmarks.pace import Pace, tell
from benchmarks.picture import draw
from benchmarks.report import report
from benchmarks.rounds import Measured
from benchmarks.sizes import Growth

ROOT = Path(__file__).parents[1]
_ROUNDS = 7
_BUDGET_S = 120.0
"""Seconds for the starts, and for the calls over stdio and over HTTP each, unless three rounds take longer."""
_SIZE_BUDGET_S = 12.0
"""Seconds for each size of what grows, unless one round takes longer."""


def main() -> int:
    """Measure, and write."""
    parser = ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=_ROUNDS, help=f"how often everyone has a turn at most (default {_ROUNDS})"
    )
    parser.add_argument(
        "--out", type=Path, default=ROOT / "docs", help="where page and picture are written (default docs)"
    )
    chosen = parser.parse_args()
    pace = Pace(chosen.rounds, _BUDGET_S)
    where, measured = machine(), Measured()
    with contenders() as everyone:
        tell(f"{', '.join(each.name for each in everyone)}")
        rounds.starts(everyone, pace, measured)
        rounds.calls(everyone, pace, measured)
        rounds.calls_over_http(everyone, pace, measured)
        growths = growing(everyone, Pace(max(1, chosen.rounds // 3), _SIZE_BUDGET_S, least=1))
    costs = {times: compiler.measured(times, min(chosen.rounds, runs)) for times, runs in sizes.CONTRACTS.items()}
    growths = (*growths, sizes.contracts_a_run(costs))
    chosen.out.mkdir(parents=True, exist_ok=True)
    draw(measured, growths, chosen.out / "benchmarks.svg")
    page = report(where, measured, growths, costs)
    (chosen.out / "benchmarks.md").write_text(page, encoding="utf-8")
    tell(f"wrote {chosen.out / 'benchmarks.md'}")
    return 0


def growing(everyone: Sequence[Contender], pace: Pace) -> tuple[Growth, ...]:
    """How what servers cost grows."""
    rows = sizes.rows_a_page(everyone, pace)
    tools = sizes.tools_a_server(pace)
    return rows, tools, *sizes.callers_at_once(everyone, pace)


if __name__ == "__main__":
    raise SystemExit(main())
