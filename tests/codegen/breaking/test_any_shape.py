"""The base may lack keys and have unknown ones, as when the contract language was another one; the judge compares what it can."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codegen.breaking.baseline import matters_in_a_base
from codegen.breaking.checker import judged
from codegen.breaking.report import report
from codegen.breaking.rule import Profile
from codegen.diagnostics import ContractProblems
from codegen.reporting.formats import FORMATS, format_report
from codegen.snapshots import Snapshot, build_snapshot, require_valid
from tests.codegen.test_mutations import FILES, ORIGINALS, draw_mutated


def state(name: str, changed: dict[str, Any]) -> Snapshot:
    """The real contracts with some files changed."""
    texts = ORIGINALS | {path: json.dumps(value, indent=2) for path, value in changed.items()}
    return build_snapshot(
        name, {path: content.encode() for path, content in texts.items()}, lambda path: f"{name}:{path}"
    )


@settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.sampled_from(FILES).flatmap(lambda name: st.tuples(st.just(name), draw_mutated(name))))
def test_a_base_is_refused_or_compared_and_shown_in_every_format(change: tuple[str, Any]) -> None:
    name, value = change
    try:
        old = require_valid(state("old", {name: value}), matters_in_a_base)
    except ContractProblems:
        return
    judgement = judged(old, state("new", {}), Profile.DEFAULT)
    for form in FORMATS:
        format_report(report(judgement), form, colour=True)
    assert format_report(report(judgement), "text", colour=True)
