"""Prove that a version's requests and results can be converted, or report counterexamples."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from codegen.diagnostics import Problem
from codegen.schema_sets.containment import covers
from codegen.versions.counterexamples import Counterexample, MismatchKind, find_counterexamples, truncate
from codegen.versions.transition import Transition


def check_proof(transition: Transition) -> Iterator[Problem]:
    """Yield a fault with a counterexample for each place to change.

    Yields MAPPING_UNPROVED where there is neither a proof nor a counterexample.
    """
    if covers(transition.target_schema, transition.output_schema()):
        return
    found = find_counterexamples(transition)
    rule = "REQUEST_LOST" if transition.is_upgrade else "RESULT_LOST"
    for pointer, example in found.items():
        yield transition.view.problem(pointer, rule, _message(transition, example))
    if not found:
        yield transition.problem("MAPPING_UNPROVED", _unproved_message(transition))


def _unproved_message(transition: Transition) -> str:
    """Return the message of a conversion that is neither proved nor disproved."""
    older, newer = transition.older.version, transition.newer.version
    values = f"every request of {older}" if transition.is_upgrade else f"every result of {newer}"
    return (
        f"it is not proved that {values} fits {transition.target.version}, and no counterexample is known; "
        'write the common parts of both versions in the same words, or let a "lookup" answer'
    )


def _message(transition: Transition, example: Counterexample) -> str:
    """Return the message of a counterexample, with its cure."""
    older, newer = transition.older.version, transition.newer.version
    witness = _as_json(example.witness)
    subject = f"{older} accepts {witness}" if transition.is_upgrade else f"{newer} returns {witness}"
    conversion_result = "" if example.result == example.witness else f", which becomes {_as_json(example.result)}"
    verdict = f"{newer} rejects that" if transition.is_upgrade else f"{older} does not allow that"
    mismatches = "; ".join(dict.fromkeys(each.text for each in example.mismatches))
    cure = {
        MismatchKind.STEP: '"move", "add" or "drop" the difference',
        MismatchKind.OPEN: f"give {newer} the same additionalProperties",
        MismatchKind.VALUE: f'change {newer} to agree, or let a "lookup" answer',
    }[example.mismatches[0].kind]
    return f"{subject}{conversion_result}; {verdict}: {mismatches}; {cure}"


def _as_json(value: Any) -> str:
    """Return a value as JSON, truncated where it is long."""
    return truncate(json.dumps(value, ensure_ascii=False))
