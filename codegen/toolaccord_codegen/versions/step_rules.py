"""Check steps: paths exist and are used once, values stay distinct, constants fit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord.semantics.version_steps import ABSENT, EACH, Step, StepMapping, Tokens, invert
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.loading.references import as_array
from toolaccord_codegen.loading.schema_nodes import select_keywords
from toolaccord_codegen.rules.tool_view import property_names
from toolaccord_codegen.schema_sets.validators import admits
from toolaccord_codegen.versions.schema_mapping import schemas_at
from toolaccord_codegen.versions.transition import NOUNS, Transition


def check_steps(transition: Transition) -> Iterator[Problem]:
    """Yield the faults of a transition's steps that do not depend on a proof."""
    for index, step in enumerate(transition.steps):
        found = [*_check_paths(transition, index, step), *_check_overlap(transition, index, step)]
        if not found:
            found = [*_check_arrays(transition, index, step), *_check_occupied(transition, index, step)]
        yield from found or (*_check_values(transition, index, step), *_check_constant(transition, index, step))


def _keys(step: Step) -> tuple[str, str]:
    """Return the keys that name a step's paths in the older and in the newer version."""
    return "move" if step.target else "drop", "to" if step.source else "add"


def _check_paths(transition: Transition, index: int, step: Step) -> Iterator[Problem]:
    """Yield steps that name a path which the version does not have."""
    at_old, at_new = _keys(step)
    for key, path, schema, version in (
        (at_old, step.source, transition.old, transition.older.version),
        (at_new, step.target, transition.new, transition.newer.version),
    ):
        if path and not schemas_at(schema, path):
            cure = _unknown_place(schema, path)
            sentence = f"{version} has no {NOUNS[transition.key]} {_pointer(path)}; {cure}"
            yield transition.problem("STEP_PLACE", sentence, index, key)
        elif path and path[-1] == EACH and not (step.source and step.target):
            sentence = f"an array's item cannot be added or dropped; name one of its members: {_pointer(path)}/…"
            yield transition.problem("STEP_PLACE", sentence, index, key)


def _pointer(path: Tokens) -> str:
    """Return a path as a JSON pointer."""
    return join_pointer("", *path)


def _unknown_place(schema: Mapping[str, Any], path: Tokens) -> str:
    """Return the cure for a path that a schema does not have."""
    holder = next(path[:length] for length in range(len(path) - 1, -1, -1) if schemas_at(schema, path[:length]))
    parts = schemas_at(schema, holder)
    known = dict.fromkeys(name for part in parts for name in property_names(part))
    each = [EACH] if any("items" in part for part in parts) else []
    return suggest(_pointer(path), [_pointer((*holder, name)) for name in [*known, *each]])


def _check_overlap(transition: Transition, index: int, step: Step) -> Iterator[Problem]:
    """Yield steps that take or fill the same path as an earlier step."""
    at_old, at_new = _keys(step)
    before = transition.steps[:index]
    for key, path, others, verb in (
        (at_old, step.source, [each.source for each in before], "takes"),
        (at_new, step.target, [each.target for each in before], "fills"),
    ):
        if path and path in others:
            sentence = f"step {others.index(path) + 1} already {verb} {_pointer(path)}; keep one of the two"
            yield transition.problem("STEP_TWICE", sentence, index, key)


def _check_arrays(transition: Transition, index: int, step: Step) -> Iterator[Problem]:
    """Yield moves between different arrays."""
    if not step.source or not step.target:
        return
    others = StepMapping(each for each in transition.steps if each is not step)
    inside = [others.map_path(array) for array in _arrays(step.source)]
    if inside != list(_arrays(step.target)) or (step.source[-1] == EACH) != (step.target[-1] == EACH):
        sentence = (
            f"{_pointer(step.source)} and {_pointer(step.target)} are in different arrays; a member stays in its item, "
            "so move the array itself by another step"
        )
        yield transition.problem("STEP_ARRAYS", sentence, index, "to")


def _arrays(path: Tokens) -> Iterator[Tokens]:
    """Yield the paths of the arrays around a path, the outermost first."""
    return (path[:length] for length, token in enumerate(path) if token == EACH)


def _check_occupied(transition: Transition, index: int, step: Step) -> Iterator[Problem]:
    """Yield steps whose path already has another member."""
    others = [each for each in transition.steps if each is not step]
    at_old, at_new = _keys(step)
    for path, key, version, back, steps, end, cure in (
        (step.target, at_new, transition.older, invert(others), transition.steps, "up", "drop"),
        (step.source, at_old, transition.newer, others, invert(transition.steps), "up back", "add"),
    ):
        origin = StepMapping(back).map_path(path) if path else None
        is_taken = any(each.source == origin for each in steps)
        if origin is not None and not is_taken and schemas_at(version.schema(transition.key), origin):
            occupant = f"{version.version} has {_pointer(origin)}, which also ends {end} at {_pointer(path)}"
            sentence = f"{occupant}; move it elsewhere or {cure} it"
            yield transition.problem("STEP_OCCUPIED", sentence, index, key)


def _check_values(transition: Transition, index: int, step: Step) -> Iterator[Problem]:
    """Yield value maps with unknown, missing or ambiguous values."""
    if not step.values:
        return
    old, new = _enum_texts(transition.old, step.source), _enum_texts(transition.new, step.target)
    if not old or not new:
        sentence = '"values" needs an enum of texts in both versions; one of the two has none'
        yield transition.problem("STEP_VALUES", sentence, index, "values")
        return
    renamed = dict(step.values)
    mapped = {value: renamed.get(value, value) for value in old}
    for value in [value for value in renamed if value not in old]:
        sentence = f"{transition.older.version} does not have the value {json.dumps(value)}; {suggest(value, old)}"
        yield transition.problem("STEP_VALUES", sentence, index, "values", value)
    for value, target in mapped.items():
        is_listed = value in renamed
        if target not in new and (is_listed or transition.key == "parameters"):
            sentence = (
                f"{transition.newer.version} does not have the value {json.dumps(target)}; {suggest(target, new)}"
            )
            yield transition.problem("STEP_VALUES", sentence, index, "values", *([value] if is_listed else []))
        elif transition.key == "returns" and value != (
            first := next(each for each in mapped if mapped[each] == target)
        ):
            pair = f"{json.dumps(first)} and {json.dumps(value)}"
            sentence = f"{pair} both become {json.dumps(target)}, which cannot be reversed; give each its own value"
            yield transition.problem("STEP_VALUES", sentence, index, "values")
    if transition.key == "returns":
        yield from _check_unmapped_values(transition, index, [value for value in new if value not in mapped.values()])


def _check_unmapped_values(transition: Transition, index: int, values: Sequence[str]) -> Iterator[Problem]:
    """Yield values of the newer results that no value of the older version maps to."""
    older, newer = transition.older.version, transition.newer.version
    for value in values:
        sentence = f'no value of {older} maps to {json.dumps(value)} of {newer}; add one to "values"'
        yield transition.problem("STEP_VALUES", sentence, index, "values")


def _enum_texts(schema: Mapping[str, Any], path: Tokens) -> list[str]:
    """Return the texts of an enum at a path."""
    values = [value for part in schemas_at(schema, path) for value in as_array(part.get("enum"))]
    return [value for value in values if isinstance(value, str)]


def _check_constant(transition: Transition, index: int, step: Step) -> Iterator[Problem]:
    """Yield constants that their own schema does not admit."""
    if step.constant is ABSENT:
        return
    key, path, side = (
        ("default", step.source, transition.older) if step.source else ("value", step.target, transition.newer)
    )
    schemas = schemas_at(side.schema(transition.key), path)
    if not any(admits(select_keywords(schema), step.constant) for schema in schemas):
        constant = json.dumps(step.constant)
        sentence = f"{side.version} rejects {constant} at {_pointer(path)}; name a value that it accepts"
        yield transition.problem("STEP_CONSTANT", sentence, index, key)
