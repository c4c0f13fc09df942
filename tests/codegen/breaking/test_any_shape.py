"""Compare bases with missing and unknown keys, as older contract languages have them."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.codegen.test_mutations import FILES, ORIGINALS, draw_mutated
from toolaccord_codegen.breaking.baseline import prevents_comparison
from toolaccord_codegen.breaking.checker import check_changes
from toolaccord_codegen.breaking.report import build_report
from toolaccord_codegen.breaking.rule import Profile
from toolaccord_codegen.diagnostics import ContractProblems
from toolaccord_codegen.reporting.colour import TerminalStyle
from toolaccord_codegen.reporting.formats import FORMATTERS, format_report
from toolaccord_codegen.snapshots import Snapshot, build_snapshot, require_valid


def state(name: str, changed: dict[str, Any]) -> Snapshot:
    """Return the real contracts with some files changed."""
    texts = ORIGINALS | {path: json.dumps(value, indent=2) for path, value in changed.items()}
    return build_snapshot(
        name, {path: content.encode() for path, content in texts.items()}, lambda path: f"{name}:{path}"
    )


@settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.sampled_from(FILES).flatmap(lambda name: st.tuples(st.just(name), draw_mutated(name))))
def test_a_base_of_any_shape_is_rejected_or_compared_in_every_format(change: tuple[str, Any]) -> None:
    name, value = change
    try:
        old = require_valid(state("old", {name: value}), prevents_comparison)
    except ContractProblems:
        return
    result = check_changes(old, state("new", {}), Profile.DEFAULT)
    for form in FORMATTERS:
        format_report(build_report(result), form, TerminalStyle(on=True))
    assert format_report(build_report(result), "text", TerminalStyle(on=True))
