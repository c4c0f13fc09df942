"""Rules for steps: places that exist, on both sides, once each; values that can be told apart; constants that fit."""

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
from codegen.versions.pointer_mapping import destination
from codegen.versions.schema_mapping import schemas_at
from codegen.versions.transition import NOUNS, Hop


def step_faults(hop: Hop) -> Iterator[Problem]:
    """What is wrong with the steps of a hop, whatever its schemas admit."""
    for index, step in enumerate(hop.steps):
        found = [*place_faults(hop, index, step), *overlap_faults(hop, index, step)]
        if not found:
            found = [*array_faults(hop, index, step), *occupied_faults(hop, index, step)]
        yield from found or (*value_faults(hop, index, step), *constant_faults(hop, index, step))


def keys(step: Step) -> tuple[str, str]:
    """The keys at which a step names its places in the older and in the newer version."""
    return ("drop" if step.target is None else "move", "add" if step.source is None else "to")


def place_faults(hop: Hop, index: int, step: Step) -> Iterator[Problem]:
    """Places that the version does not have that a step speaks of."""
    at_old, at_new = keys(step)
    for key, pointer, path, schema, version in (
        (at_old, step.source, step.source_tokens, hop.old, hop.older.version),
        (at_new, step.target, step.target_tokens, hop.new, hop.newer.version),
    ):
        if pointer is None:
            continue
        if not schemas_at(schema, path):
            cure = unknown_place(schema, path)
            sentence = f"{version} has no {NOUNS[hop.key]} {pointer}; {cure}"
            yield hop.problem("STEP_PLACE", sentence, index, key)
        elif path[-1] == EACH and (step.source is None or step.target is None):
            sentence = f"an item of an array is neither added nor dropped; name a member of it, {pointer}/…"
            yield hop.problem("STEP_PLACE", sentence, index, key)


def unknown_place(schema: Mapping[str, Any], path: Tokens) -> str:
    """How to mend a place that a schema does not have."""
    holder = next(path[:length] for length in range(len(path) - 1, -1, -1) if schemas_at(schema, path[:length]))
    parts = schemas_at(schema, holder)
    known = dict.fromkeys(name for part in parts for name in property_names(part))
    each = [EACH] if any("items" in part for part in parts) else []
    return suggest(join_pointer("", *path), [join_pointer("", *holder, name) for name in [*known, *each]])


def overlap_faults(hop: Hop, index: int, step: Step) -> Iterator[Problem]:
    """Places that an earlier step takes or fills already."""
    at_old, at_new = keys(step)
    before = hop.steps[:index]
    for key, pointer, others, does in (
        (at_old, step.source, [each.source for each in before], "takes"),
        (at_new, step.target, [each.target for each in before], "fills"),
    ):
        if pointer is not None and pointer in others:
            sentence = f"step {others.index(pointer) + 1} {does} {pointer} already; keep one of the two"
            yield hop.problem("STEP_TWICE", sentence, index, key)


def array_faults(hop: Hop, index: int, step: Step) -> Iterator[Problem]:
    """Moves out of the arrays that a member lies in, or into others."""
    if step.source is None or step.target is None:
        return
    others = [each for each in hop.steps if each is not step]
    inside = [destination(others, array) for array in arrays(step.source_tokens)]
    if inside != list(arrays(step.target_tokens)) or (step.source_tokens[-1] == EACH) != (
        step.target_tokens[-1] == EACH
    ):
        sentence = (
            f"{step.source} and {step.target} do not lie in the same arrays; a move stays among the items it came "
            "from, so move the array itself by a step of its own"
        )
        yield hop.problem("STEP_ARRAYS", sentence, index, "to")


def arrays(path: Tokens) -> Iterator[Tokens]:
    """The arrays that a place lies in, the outermost first."""
    return (path[:length] for length, token in enumerate(path) if token == EACH)


def occupied_faults(hop: Hop, index: int, step: Step) -> Iterator[Problem]:
    """Places that something else has that is carried there."""
    others = [each for each in hop.steps if each is not step]
    at_old, at_new = keys(step)
    if step.target is not None and (held := held_at(reverse_steps(others), hop.steps, step.target_tokens, hop.old)):
        sentence = f"{hop.older.version} has {held}, which is carried to {step.target}; move or drop it"
        yield hop.problem("STEP_OCCUPIED", sentence, index, at_new)
    if step.source is not None and (held := held_at(others, reverse_steps(hop.steps), step.source_tokens, hop.new)):
        sentence = f"{hop.newer.version} has {held}, which is carried back to {step.source}; move or add it"
        yield hop.problem("STEP_OCCUPIED", sentence, index, at_old)


def held_at(others: Sequence[Step], steps: Sequence[Step], path: Tokens, schema: Mapping[str, Any]) -> str | None:
    """What a schema has where, carried by *others*, it comes from a place; None where nothing, or a step takes it."""
    origin = destination(others, path)
    if origin is None or any(each.source_tokens == origin for each in steps) or not schemas_at(schema, origin):
        return None
    return join_pointer("", *origin)


def value_faults(hop: Hop, index: int, step: Step) -> Iterator[Problem]:
    """Value maps that speak of other values than the schemas, leave some out, or make two into one."""
    if not step.values:
        return
    old, new = listed(hop.old, step.source_tokens), listed(hop.new, step.target_tokens)
    if not old or not new:
        sentence = "values are mapped between two enums of texts; one of the places has none"
        yield hop.problem("STEP_VALUES", sentence, index, "values")
        return
    said = {value: step.values.get(value, value) for value in old}
    for value in [value for value in step.values if value not in old]:
        sentence = f"{hop.older.version} does not have the value {json.dumps(value)}; {suggest(value, old)}"
        yield hop.problem("STEP_VALUES", sentence, index, "values", value)
    for value, other in said.items():
        twins = [each for each in said if said[each] == other]
        if other not in new and (value in step.values or hop.key == "parameters"):
            sentence = f"{hop.newer.version} does not have the value {json.dumps(other)}; {suggest(other, new)}"
            yield hop.problem("STEP_VALUES", sentence, index, "values", *([value] if value in step.values else []))
        elif len(twins) > 1 and value != twins[0]:
            pair = " and ".join(map(json.dumps, twins[:2]))
            sentence = f"{pair} become the same, {json.dumps(other)}, and could not be told apart on the way back"
            yield hop.problem("STEP_VALUES", sentence, index, "values")
    for value in [value for value in new if value not in said.values() and hop.key == "returns"]:
        sentence = f"nothing says what {json.dumps(value)} of {hop.newer.version} is called in {hop.older.version}"
        yield hop.problem("STEP_VALUES", sentence, index, "values")


def listed(schema: Mapping[str, Any], path: Tokens) -> list[str]:
    """The texts that an enum at a place lists."""
    values = [value for part in schemas_at(schema, path) for value in as_array(part.get("enum"))]
    return [value for value in values if isinstance(value, str)]


def constant_faults(hop: Hop, index: int, step: Step) -> Iterator[Problem]:
    """Constants that their own place refuses."""
    if not step.constant:
        return
    added = step.source is None
    schemas = schemas_at(hop.new, step.target_tokens) if added else schemas_at(hop.old, step.source_tokens)
    if not any(admits(select_keywords(schema), step.constant[0]) for schema in schemas):
        key, pointer = ("value", step.target) if added else ("default", step.source)
        version = hop.newer.version if added else hop.older.version
        sentence = f"{version} refuses {json.dumps(step.constant[0])} at {pointer}; name a value that it takes"
        yield hop.problem("STEP_CONSTANT", sentence, index, key)
