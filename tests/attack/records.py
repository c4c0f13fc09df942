"""Attacks with their promises, and the outcome of a run of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.figures import percentile

if TYPE_CHECKING:
    from tests.attack.lab import Lab

_KEPT_FAILURES = 5
"""Failures that an outcome describes; the others are only counted."""
UNANSWERED_MS = 5000.0
"""The latency that a probe without an answer counts with, and its timeout."""


class NotRunError(Exception):
    """The attack lacks something on this machine; the text says what."""


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack, and the promise that it checks."""

    name: str
    promise: str
    """A sentence that holds for every input."""
    run: Callable[[Lab, Tally], None]
    """Sends the inputs and checks each. Raises NotRunError."""
    max_peak_mib: float | None = None
    """The most memory that a process may take meanwhile; None without a promise."""
    max_health_ms: float | None = None
    """The highest median latency of `/health` meanwhile; None without a promise."""


@dataclass(slots=True)
class Tally:
    """The checked inputs of a running attack, and its costs."""

    inputs: int = 0
    kept: int = 0
    failures: list[str] = field(default_factory=list)
    peaks_mib: list[float] = field(default_factory=list)
    latencies_ms: list[float] = field(default_factory=list)

    def check(self, is_kept: object, failure: str) -> None:
        """Count one input; *failure* describes it where the promise is broken."""
        self.inputs += 1
        self.kept += bool(is_kept)
        if not is_kept and len(self.failures) < _KEPT_FAILURES:
            self.failures.append(failure[:300])


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of one attack; JSON keeps it in this form."""

    inputs: int = 0
    kept: int = 0
    failures: list[str] = field(default_factory=list)
    """Descriptions of the first inputs, and of the measures, that broke the promise."""
    peak_mib: float | None = None
    """The largest resident set of an attacked process; None if none was measured."""
    health_ms: tuple[float, float, float] | None = None
    """Median, 99th percentile and maximum of the latencies of `/health`; None without probes."""
    not_run: str = ""
    """The reason why the attack did not run; empty if it ran."""

    @property
    def is_kept(self) -> bool:
        """True if the promise held."""
        return not self.failures


def summarize(attack: Attack, tally: Tally) -> Outcome:
    """Return the outcome of *attack*, with its promises about memory and latency checked."""
    failures = list(tally.failures)
    peak = max(tally.peaks_mib, default=None)
    if attack.max_peak_mib is not None and peak is not None and peak > attack.max_peak_mib:
        failures.append(f"a process took {peak:.0f} MiB, more than {attack.max_peak_mib:.0f}")
    health = _percentiles(tally.latencies_ms) if tally.latencies_ms else None
    if attack.max_health_ms is not None and health is not None and health[0] > attack.max_health_ms:
        failures.append(f"the median of /health was {health[0]:.0f} ms, more than {attack.max_health_ms:.0f}")
    return Outcome(inputs=tally.inputs, kept=tally.kept, failures=failures, peak_mib=peak, health_ms=health)


def _percentiles(latencies: list[float]) -> tuple[float, float, float]:
    return percentile(latencies, 0.5), percentile(latencies, 0.99), max(latencies)
