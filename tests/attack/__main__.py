"""Attack servers, backends and the compiler, and check what is promised: `./run attack`."""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.pace import log_progress
from tests.attack import page
from tests.attack.catalog import ATTACKS
from tests.attack.lab import Lab
from tests.attack.records import Attack, NotRunError, Outcome, Tally, summarize
from tests.contracts.reading import ROOT


def main() -> int:
    """Run the attacks; return 1 if a promise was broken.

    A run of all inputs writes the rows of its attacks into docs/security.md. A run against another checkout writes the
    numbers that the page shows beside.
    """
    arguments = _parse()
    chosen = [attack for attack in ATTACKS if not arguments.only or attack.name in arguments.only]
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, allowed))
    outcomes = run_all(chosen, arguments.against, arguments.scale)
    if arguments.against != ROOT:
        page.save_before(outcomes)
    elif arguments.scale == 1:
        page.write(outcomes)
    return 0 if all(outcome.is_kept for outcome in outcomes.values()) else 1


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./run attack", description=__doc__)
    names = [attack.name for attack in ATTACKS]
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=f"one of: {', '.join(names)}")
    parser.add_argument("--scale", type=float, default=1.0, help="the share of the inputs; 1 takes about 8 minutes")
    parser.add_argument("--against", type=Path, default=ROOT, metavar="DIR", help="the checkout to attack")
    return parser.parse_args()


def run_all(attacks: Sequence[Attack], checkout: Path, scale: float) -> Mapping[str, Outcome]:
    """Run *attacks* one after the other; return their outcomes by name."""
    outcomes = {}
    with ExitStack() as stack:
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="toolaccord-attack-", ignore_cleanup_errors=True)
        )
        lab = Lab(stack, Path(folder), scale, checkout.resolve())
        for attack in attacks:
            start = time.perf_counter()
            outcomes[attack.name] = outcome = run_one(attack, lab)
            log_progress(f"{attack.name}: {page.describe(outcome)}; {time.perf_counter() - start:.0f} s")
            for failure in outcome.failures:
                log_progress(f"    broken: {failure}")
    return outcomes


def run_one(attack: Attack, lab: Lab) -> Outcome:
    """Run *attack*; an attack that fails itself breaks its promise."""
    tally = Tally()
    try:
        attack.run(lab, tally)
    except NotRunError as reason:
        return Outcome(not_run=str(reason))
    except Exception as error:
        tally.check(False, f"the attack did not end: {type(error).__name__}: {error}")
    return summarize(attack, tally)


if __name__ == "__main__":
    sys.exit(main())
