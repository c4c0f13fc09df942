"""The table of attacks in docs/security.md, and the numbers of the code before its bounds."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from tests.attack.catalog import ATTACKS
from tests.attack.records import UNANSWERED_MS, Outcome
from tests.contracts.reading import ROOT

PAGE = ROOT / "docs/security.md"
BEFORE = Path(__file__).with_name("before.json")
BEGIN, END = "<!-- written by ./run attack -->\n", "<!-- end -->\n"


def read_before() -> dict[str, Outcome]:
    """Return the outcomes of the code before its bounds, by name of the attack."""
    return {name: Outcome(**outcome) for name, outcome in json.loads(BEFORE.read_text(encoding="utf-8")).items()}


def save_before(outcomes: Mapping[str, Outcome]) -> None:
    """Keep *outcomes* as those of the code before its bounds; others stay."""
    known = (read_before() if BEFORE.exists() else {}) | dict(outcomes)
    kept = {attack.name: asdict(known[attack.name]) for attack in ATTACKS if attack.name in known}
    BEFORE.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write(outcomes: Mapping[str, Outcome]) -> None:
    """Replace the results in the page."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, tail = rest.partition(END)
    PAGE.write_text(f"{head}{BEGIN}{results(outcomes, read_before())}{END}{tail}", encoding="utf-8")


def results(outcomes: Mapping[str, Outcome], before: Mapping[str, Outcome]) -> str:
    """Return the results with those of *before* beside them."""
    measured = f"Measured on {datetime.now(UTC).date()} at commit {_commit()}, on {os.cpu_count()} cores."
    return "\n".join(["", measured, "", *_rows(outcomes, before), "", *_broken(outcomes), ""])


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    return done.stdout.strip() or "unknown"


def _rows(outcomes: Mapping[str, Outcome], before: Mapping[str, Outcome]) -> Iterator[str]:
    yield "| attack | promise | inputs | kept, before | kept | peak MiB, before | peak MiB | `/health` ms, before | `/health` ms |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|"
    for attack in ATTACKS:
        new, old = outcomes[attack.name], before.get(attack.name, Outcome(not_run="no numbers"))
        cells = [attack.name, attack.promise, _inputs(new), _kept(old), _kept(new)]
        cells += [_peak(old), _peak(new), _health(old), _health(new)]
        yield f"| {' | '.join(cells)} |"


def _broken(outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    broken = [name for name, outcome in outcomes.items() if not outcome.is_kept]
    yield f"Broken promises: {', '.join(broken) or 'none'}."


def describe(outcome: Outcome) -> str:
    """Return a line about *outcome*."""
    if outcome.not_run:
        return f"not run: {outcome.not_run}"
    kept = f"{outcome.kept:,} of {outcome.inputs:,} kept"
    return f"{kept}, peak {_peak(outcome) or '-'} MiB, /health {_health(outcome) or '-'} ms"


def _inputs(outcome: Outcome) -> str:
    return f"not run: {outcome.not_run}" if outcome.not_run else f"{outcome.inputs:,}"


def _kept(outcome: Outcome) -> str:
    if outcome.not_run:
        return "not run"
    return f"{'' if outcome.is_kept else '**broken** '}{outcome.kept / outcome.inputs:.1%}"


def _peak(outcome: Outcome) -> str:
    return "" if outcome.peak_mib is None else f"{outcome.peak_mib:,.0f}"


def _health(outcome: Outcome) -> str:
    return " / ".join(_milliseconds(each) for each in outcome.health_ms or ())


def _milliseconds(value: float) -> str:
    return "no answer" if value >= UNANSWERED_MS else f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
