"""Check steps: paths exist and are used once, values stay distinct, constants fit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from codegen.diagnostics import Problem, suggest
from codegen.ir.version_steps import EACH, Step, Tokens, reverse_steps
from codegen.loading.documents import join_pointer
from codegen.loading.references import as_array
from codegen.loading.schema_nodes import select_keywords
from codegen.rules.tool_view import property_names
from codegen.schema_sets.containment import admits
from codegen.versions.pointer_mapping import map_path
from codegen.versions.schema_mapping import schemas_at
from codegen.versions.transition import NOUNS, Transition


def check_steps(transition: Transition) -> Iterator[Problem]:
    """Yield the faults of a transition's steps that do not depend on a proof."""
    for index, step in enumerate(transition.steps):
        found = [*_check_paths(transition, index, step), *_check_overlap(transition, index, step)]
        if not found:
            found = [*_check_arrays(transition, index, step), *_check_occupied(transition, index, step)]
        yield from found or (*_check_values(transition, index, step), *_check_constant(transition, index, step))


def _keys(step: Step) -> tuple[str, str]:
    """Return the keys that name a step's paths in the older and in the newer version."""
    return ("drop" if step.target is None else "move", "add" if step.source is None else "to")


def _check_paths(transition: Transition, index: int, step: Step) -> Iterator[Problem]:
    """Yield steps that name a path which the version does not have."""
    at_old, at_new = _keys(step)
    for key, pointer, path, schema, version in (
        (at_old, step.source, step.source_tokens, transition.old, transition.older.version),
        (at_new, step.target, step.target_tokens, transition.new, transition.newer.version),
    ):
        if pointer is None:
            continue
        if not schemas_at(schema, path):
            cure = _unknown_place(schema, path)
            sentence = f"{version} has no {NOUNS[transition.key]} {pointer}; {cure}"
            yield transition.problem("STEP_PLACE", sentence, index, key)
        elif path[-1] == EACH and (step.source is None or step.target is None):
            sentence = f"an array's item cannot be added or dropped; name one of its members: {pointer}/…"
            yield transition.problem("STEP_PLACE", sentence, index, key)


def _unknown_place(schema: Mapping[str, Any], path: Tokens) -> str:
    """Return the cure for a path that a schema does not have."""
    holder = next(path[:length] for length in range(len(path) - 1, -1, -1) if schemas_at(schema, path[:length]))
    parts = schemas_at(schema, holder)
    known = dict.fromkeys(name for part in parts for name in property_names(part))
    each = [EACH] if any("items" in part for part in parts) else []
    return suggest(join_pointer("", *path), [join_pointer("", *holder, name) for name in [*known, *each]])


def _check_overlap(transition: Transition, index: int, step: Step) -> Iterator[Problem]:
    """Yield steps that take or fill the same path as an earlier step."""
    at_old, at_new = _keys(step)
    before = transition.steps[:index]
    for key, pointer, others, verb in (
        (at_old, step.source, [each.source for each in before], "takes"),
        (at_new, step.target, [each.target for each in before], "fills"),
    ):
        if pointer is not None and pointer in others:
            sentence = f"step {others.index(pointer) + 1} already {verb} {pointer}; keep one of the two"
            yield transition.problem("STEP_TWICE", sentence, index, key)


def _check_arrays(transition: Transition, index: int, step: Step) -> Iterator[Problem]:
    """Yield moves between different arrays."""
    if step.source is None or step.target is None:
        return
    others = [each for each in transition.steps if each is not step]
    inside = [map_path(others, array) for array in _arrays(step.source_tokens)]
    if inside != list(_arrays(step.target_tokens)) or (step.source_tokens[-1] == EACH) != (
        step.target_tokens[-1] == EACH
    ):
        sentence = (
            f"{step.source} and {step.target} are in different arrays; a member stays in its item, "
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
    if step.target is not None and (
        occupant := _occupant(reverse_steps(others), transition.steps, step.target_tokens, transition.old)
    ):
        sentence = f"{transition.older.version} has {occupant}, which also ends up at {step.target}; move it elsewhere or drop it"
        yield transition.problem("STEP_OCCUPIED", sentence, index, at_new)
    if step.source is not None and (
        occupant := _occupant(others, reverse_steps(transition.steps), step.source_tokens, transition.new)
    ):
        sentence = f"{transition.newer.version} has {occupant}, which also ends up back at {step.source}; move it elsewhere or add it"
        yield transition.problem("STEP_OCCUPIED", sentence, index, at_old)


def _occupant(others: Sequence[Step], steps: Sequence[Step], path: Tokens, schema: Mapping[str, Any]) -> str | None:
    """Return the pointer of the member that *others* map to a path. None if a step takes it."""
    origin = map_path(others, path)
    if origin is None or any(each.source_tokens == origin for each in steps) or not schemas_at(schema, origin):
        return None
    return join_pointer("", *origin)


def _check_values(transition: Transition, index: int, step: Step) -> Iterator[Problem]:
    """Yield value maps with unknown, missing or ambiguous values."""
    if not step.values:
        return
    old, new = _enum_texts(transition.old, step.source_tokens), _enum_texts(transition.new, step.target_tokens)
    if not old or not new:
        sentence = '"values" needs an enum of texts in both versions; one of the two has none'
        yield transition.problem("STEP_VALUES", sentence, index, "values")
        return
    mapped = {value: step.values.get(value, value) for value in old}
    for value in [value for value in step.values if value not in old]:
        sentence = f"{transition.older.version} does not have the value {json.dumps(value)}; {suggest(value, old)}"
        yield transition.problem("STEP_VALUES", sentence, index, "values", value)
    for value, target in mapped.items():
        is_listed = value in step.values
        if target not in new and (is_listed or transition.key == "parameters"):
            sentence = (
                f"{transition.newer.version} does not have the value {json.dumps(target)}; {suggest(target, new)}"
            )
            yield transition.problem("STEP_VALUES", sentence, index, "values", *([value] if is_listed else []))
        elif value != (first := next(each for each in mapped if mapped[each] == target)):
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
    if not step.constant:
        return
    added = step.source is None
    schemas = (
        schemas_at(transition.new, step.target_tokens) if added else schemas_at(transition.old, step.source_tokens)
    )
    if not any(admits(select_keywords(schema), step.constant[0]) for schema in schemas):
        key, pointer = ("value", step.target) if added else ("default", step.source)
        version = transition.newer.version if added else transition.older.version
        sentence = f"{version} rejects {json.dumps(step.constant[0])} at {pointer}; name a value that it accepts"
        yield transition.problem("STEP_CONSTANT", sentence, index, key)
