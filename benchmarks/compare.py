"""Runs toolpact, the SDK's servers and FastMCP side by side, in turns; writes docs/benchmarks.md and its picture.

Run with `nox -s bench`. `--rounds 1` is a quick look.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from benchmarks import rounds, sizes
from benchmarks.contenders import Contender, contenders
from benchmarks.machine import machine
from benchmarks.picture import draw
from benchmarks.report import report
from benchmarks.rounds import Measured
from benchmarks.sizes import Growth

ROOT = Path(__file__).parents[1]
_ROUNDS = 7
_BEGUN = time.perf_counter()


def main() -> int:
    """Measure, and write."""
    parser = ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=_ROUNDS, help=f"how often everyone has a turn (default {_ROUNDS})"
    )
    parser.add_argument(
        "--out", type=Path, default=ROOT / "docs", help="where page and picture are written (default docs)"
    )
    chosen = parser.parse_args()
    where, measured = machine(), Measured()
    with contenders() as everyone:
        tell(f"{', '.join(each.name for each in everyone)}: starts")
        rounds.starts(everyone, chosen.rounds, measured)
        tell("calls over stdio")
        rounds.calls(everyone, chosen.rounds, measured)
        tell("calls over HTTP")
        rounds.calls_over_http(everyone, chosen.rounds, measured)
        growths = growing(everyone, max(1, chosen.rounds // 3))
    draw(measured, growths, chosen.out / "benchmarks.svg")
    (chosen.out / "benchmarks.md").write_text(report(where, measured, growths, chosen.rounds), encoding="utf-8")
    tell(f"wrote {chosen.out / 'benchmarks.md'}")
    return 0


def growing(everyone: Sequence[Contender], count: int) -> tuple[Growth, ...]:
    """How cost grows, in *count* rounds for each size."""
    tell("rows a page")
    rows = sizes.rows_a_page(everyone, count)
    tell("tools a server")
    tools = sizes.tools_a_server(count)
    tell("callers at once")
    rate, p95 = sizes.callers_at_once(everyone, count)
    tell("contracts a run")
    return rows, tools, rate, sizes.contracts_a_run(), p95


def tell(what: str) -> None:
    """Say on standard error what is measured now."""
    print(f"{time.perf_counter() - _BEGUN:4.0f} s  {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
