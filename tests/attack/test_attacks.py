"""A few inputs of each cheap attack, so that the attacks keep working."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.attack.__main__ import run_one
from tests.attack.catalog import ATTACKS
from tests.attack.lab import Lab
from tests.attack.records import Attack, NotRunError, Outcome, Tally

SCALES = {
    "paths and methods without a token": 0.002,
    "Host and Origin": 1,
    "lengths and chunks": 0.01,
    "pipelining": 0.01,
    "half-closed clients": 0.01,
    "hostile JSON": 0.001,
    "large requests that wait in sessions": 0.05,
    "large requests for tasks": 0.2,
    "hostile messages on NATS": 0.05,
    "A2A tasks of other callers": 1,
    "hostile messages over A2A": 0.05,
    "hostile contracts": 0.015,
    "kills of server and database": 0.02,
    "more calls than a server can finish": 0.02,
    "bursts beyond a limit on a slow Redis": 0.1,
}
"""The share of the inputs of each attack that the tests run."""
BY_NAME = {attack.name: attack for attack in ATTACKS}


@pytest.fixture
def lab() -> Iterator[Lab]:
    # pytest's own temporary folders have names too long for the socket of a database.
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, ExitStack() as stack:
        yield Lab(stack, Path(folder))


@pytest.mark.attack
@pytest.mark.parametrize("name", SCALES)
def test_a_sample_of_the_attack_breaks_no_promise(lab: Lab, name: str) -> None:
    lab.scale = SCALES[name]
    tally = Tally()
    BY_NAME[name].run(lab, tally)
    assert tally.failures == []
    assert tally.inputs == tally.kept > 0


def test_a_broken_promise_and_a_failed_attack_are_not_kept(lab: Lab) -> None:
    def break_promise(_lab: Lab, tally: Tally) -> None:
        tally.check(True, "kept")
        tally.check(False, "answered 200")

    def fail(_lab: Lab, _tally: Tally) -> None:
        raise OSError("no port")

    broken, failed = (run_one(Attack("x", "", run), lab) for run in (break_promise, fail))
    assert (broken.inputs, broken.kept, broken.failures, broken.is_kept) == (2, 1, ["answered 200"], False)
    assert (failed.failures, failed.is_kept) == (["the attack did not end: OSError: no port"], False)


def test_too_much_memory_or_latency_breaks_a_promise(lab: Lab) -> None:
    def measure(_lab: Lab, tally: Tally) -> None:
        tally.check(True, "kept")
        tally.peaks_mib += [10, 300]
        tally.latencies_ms += [1, 200, 300]

    outcome = run_one(Attack("x", "", measure, max_peak_mib=299, max_health_ms=199), lab)
    assert (outcome.peak_mib, outcome.health_ms) == (300, (200, 300, 300))
    assert outcome.failures == [
        "a process took 300 MiB, more than 299",
        "the median of /health was 200 ms, more than 199",
    ]
    assert run_one(Attack("x", "", measure, max_peak_mib=300, max_health_ms=200), lab).is_kept


def test_an_attack_without_its_program_is_not_run(lab: Lab) -> None:
    def need(_lab: Lab, _tally: Tally) -> None:
        raise NotRunError("no haproxy: offline")

    assert run_one(Attack("x", "", need), lab) == Outcome(not_run="no haproxy: offline")
