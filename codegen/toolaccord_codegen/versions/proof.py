"""Prove that a version's requests and results can be converted, or report counterexamples."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import jsonschema_rs

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord.semantics.version_steps import StepMapping, Tokens, invert, matches
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.json_equality import equal_json
from toolaccord_codegen.loading.schema_nodes import select_keywords
from toolaccord_codegen.rules.schema import LONGEST
from toolaccord_codegen.schema_sets.containment import covers
from toolaccord_codegen.schema_sets.validators import admits, compile_validator
from toolaccord_codegen.versions.schema_mapping import schemas_at
from toolaccord_codegen.versions.transition import Transition


class MismatchKind(Enum):
    """Causes of a mismatch."""

    STEP = "no step adds or removes a member"
    OPEN = "an unnamed member is not admitted"
    VALUE = "a value is not admitted"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A part of a converted value that does not match the target schema."""

    path: Tokens
    text: str
    kind: MismatchKind


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A value that does not match the target schema after its conversion."""

    witness: Any
    result: Any
    mismatches: list[Mismatch]


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
    conversion_result = (
        "" if equal_json(example.result, example.witness) else f", which becomes {_as_json(example.result)}"
    )
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
    return _truncate(json.dumps(value, ensure_ascii=False))


def _truncate(text: str) -> str:
    """Cut a text that is too long for a sentence."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def find_counterexamples(transition: Transition) -> dict[str, Counterexample]:
    """Return a counterexample for each place that has to change.

    The keys are JSON pointers into the contract, relative to the tool.
    """
    found: dict[str, Counterexample] = {}
    for value in transition.candidates():
        found = _counterexamples_of(transition, value) | found
    return {pointer: _shorten(transition, pointer, example) for pointer, example in found.items()}


def _counterexamples_of(transition: Transition, value: Any) -> dict[str, Counterexample]:
    """Return the mismatches of one value by the pointer of the place that has to change."""
    result = transition.convert(value)
    found: dict[str, Counterexample] = {}
    for error in compile_validator(transition.target_schema).iter_errors(result):
        for mismatch in _mismatches(transition, error):
            pointer = _pointer_to_change(transition, mismatch)
            found.setdefault(pointer, Counterexample(value, result, [])).mismatches.append(mismatch)
    return found


def _shorten(transition: Transition, pointer: str, example: Counterexample) -> Counterexample:
    """Replace the texts of a counterexample by short ones where these show the same mismatch."""
    source = select_keywords(transition.source_schema)
    for name, part in example.witness.items():
        shorter = {**example.witness, name: "x"}
        if isinstance(part, str) and len(part) > 1 and admits(source, shorter):
            example = _counterexamples_of(transition, shorter).get(pointer, example)
    return example


def _mismatches(transition: Transition, error: jsonschema_rs.ValidationError) -> Iterator[Mismatch]:
    """Yield the mismatches that a validation error reports."""
    path, facts = tuple(map(str, error.instance_path)), error.kind.as_dict()
    if error.kind.name == "required":
        missing = (*path, facts["property"])
        yield Mismatch(missing, f"{join_pointer('', *missing)} is missing", MismatchKind.STEP)
    elif error.kind.name == "additionalProperties":
        for name in facts["unexpected"]:
            unknown = (*path, name)
            origin = StepMapping(invert(transition.conversion)).map_path(unknown)
            is_named = origin is not None and schemas_at(transition.source_schema, origin)
            kind = MismatchKind.STEP if is_named else MismatchKind.OPEN
            yield Mismatch(unknown, f"{join_pointer('', *unknown)} is unknown", kind)
    else:
        yield Mismatch(path, f"at {join_pointer('', *path)}, {_truncate(error.message)}", MismatchKind.VALUE)


def _pointer_to_change(transition: Transition, mismatch: Mismatch) -> str:
    """Return the pointer of a step, of the steps, or of a schema of the newer version."""
    steps = transition.conversion
    owners = [index for index, step in enumerate(steps) if step.target and matches(mismatch.path, step.target)]
    if owners:
        return join_pointer(transition.pointer, max(owners, key=lambda index: len(steps[index].target)))
    path = mismatch.path[:-1] if mismatch.kind is MismatchKind.OPEN else mismatch.path
    newer = path if transition.is_upgrade else StepMapping(transition.steps).map_path(path)
    if mismatch.kind is MismatchKind.STEP or newer is None:
        return transition.pointer
    keywords = ["items" if step.isdecimal() else f"properties/{join_pointer('', step)[1:]}" for step in newer]
    last = ["additionalProperties"] if mismatch.kind is MismatchKind.OPEN else []
    return "/".join([f"{transition.newer.pointer}/{transition.key}", *keywords, *last])
