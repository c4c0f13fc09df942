"""The table of attacks in docs/security.md, and the numbers of the code before its bounds."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from textwrap import fill

from tests.attack.catalog import ATTACKS
from tests.attack.records import UNANSWERED_MS, Outcome
from tests.contracts.reading import ROOT

PAGE = ROOT / "docs/security.md"
BEFORE = Path(__file__).with_name("before.json")
BEGIN, END = "<!-- written by ./run attack -->\n", "<!-- end -->\n"
_HEAD = (
    "| attack | promise | inputs | kept, before | kept | peak MiB, before | peak MiB | `/health` ms, before | `/health` ms |",
    "|---|---|---:|---:|---:|---:|---:|---:|---:|",
)
_WIDTH = 120
"""Most characters of a line of prose."""
_BROKEN = "**broken** "
_PROMISES = {attack.name: attack.promise for attack in ATTACKS}


def read_before() -> dict[str, Outcome]:
    """Return the outcomes of the code before its bounds, by name of the attack."""
    return {name: Outcome(**outcome) for name, outcome in json.loads(BEFORE.read_text(encoding="utf-8")).items()}


def save_before(outcomes: Mapping[str, Outcome]) -> None:
    """Keep *outcomes* as those of the code before its bounds; others stay."""
    known = (read_before() if BEFORE.exists() else {}) | dict(outcomes)
    kept = {attack.name: asdict(known[attack.name]) for attack in ATTACKS if attack.name in known}
    BEFORE.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write(outcomes: Mapping[str, Outcome]) -> None:
    """Replace the results in the page; a run of some attacks replaces only their rows."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    old, _, tail = rest.partition(END)
    is_whole = len(outcomes) == len(ATTACKS)
    new = results(outcomes, read_before()) if is_whole else with_newer(old, outcomes, read_before())
    PAGE.write_text(f"{head}{BEGIN}{new}{END}{tail}", encoding="utf-8")


def results(outcomes: Mapping[str, Outcome], before: Mapping[str, Outcome]) -> str:
    """Return the results with those of *before* beside them."""
    measured = f"Measured {_when()}, on {os.cpu_count()} cores."
    rows = {name: _row(name, outcome, before) for name, outcome in outcomes.items()}
    return _text([measured], rows)


def with_newer(old: str, outcomes: Mapping[str, Outcome], before: Mapping[str, Outcome]) -> str:
    """Return the results *old* with the rows of *outcomes*, and a sentence that names them."""
    paragraphs, _, table = old.partition("\n| ")
    rows = {line.removeprefix("| ").partition(" | ")[0]: line for line in table.splitlines() if line.startswith("| ")}
    rows |= {name: _row(name, outcome, before) for name, outcome in outcomes.items()}
    first, *_ = paragraphs.strip().split("\n\n")
    return _text([first, fill(f"Measured {_when()}: {', '.join(outcomes)}.", _WIDTH)], rows)


def _when() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    return f"on {datetime.now(UTC).date()} at commit {done.stdout.strip() or 'unknown'}"


def _text(paragraphs: Sequence[str], rows: Mapping[str, str]) -> str:
    """Return *paragraphs*, the table of *rows* in the order of the attacks, and what broke."""
    names = [attack.name for attack in ATTACKS if attack.name in rows]
    broken = [name for name in names if rows[name].split(" | ")[4].startswith(_BROKEN)]
    end = f"Broken promises: {', '.join(broken) or 'none'}."
    return (
        "\n\n".join(["", *paragraphs, "\n".join([*_HEAD, *map(rows.__getitem__, names)]), end]).removeprefix("\n")
        + "\n"
    )


def _row(name: str, new: Outcome, before: Mapping[str, Outcome]) -> str:
    old = before.get(name, Outcome(not_run="no numbers"))
    cells = [name, _PROMISES[name], _inputs(new), _kept(old), _kept(new)]
    return f"| {' | '.join([*cells, _peak(old), _peak(new), _health(old), _health(new)])} |"


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
    return f"{'' if outcome.is_kept else _BROKEN}{outcome.kept / outcome.inputs:.1%}"


def _peak(outcome: Outcome) -> str:
    return "" if outcome.peak_mib is None else f"{outcome.peak_mib:,.0f}"


def _health(outcome: Outcome) -> str:
    return " / ".join(_milliseconds(each) for each in outcome.health_ms or ())


def _milliseconds(value: float) -> str:
    return "no answer" if value >= UNANSWERED_MS else f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
