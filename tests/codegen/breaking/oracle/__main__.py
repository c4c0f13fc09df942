"""Judge 50,000 verdicts of the checker on random pairs of schemas.

`python -m tests.codegen.breaking.oracle 50000` judges as many, and `./run oracle` does so. It fails for a missed change
and for a contradicted witness, and shows the smallest such pair. False alarms are counted by kind, with an example.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from tests.codegen.breaking.oracle.judge import Tally
from tests.codegen.breaking.oracle.rounds import judge_round

VERDICTS = 50_000
PROCESSES = 2
PAIRS_A_ROUND = 250
"""Pairs between two lines of progress of a process; each has two verdicts."""


def main(arguments: Sequence[str]) -> int:
    """Judge as many verdicts as the first argument says, and print progress and counts."""
    wanted = int(arguments[0]) if arguments else VERDICTS
    total, faults = Tally(), list[str]()
    rounds = range(-(-wanted // (2 * PAIRS_A_ROUND)))
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as processes:
        for done in as_completed(processes.submit(judge_round, number, PAIRS_A_ROUND) for number in rounds):
            tally, fault = done.result()
            total.add(tally)
            faults += [fault] if fault else []
            say(
                f"{total.counts['verdicts']} of {wanted} verdicts, {len(faults)} faults, {total.alarms.total()} false alarms"
            )
    for name, number in total.counts.items():
        say(f"{number} {name}")
    for kind, number in total.alarms.most_common():
        say(f"{number} false alarms: {kind}, such as {total.examples[kind]}")
    for fault in faults:
        say(fault)
    return bool(faults)


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
