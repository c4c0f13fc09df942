"""Values under steps, as the runtime carries them: what the compiler shows as a witness has really been tried.

The runtime has a reading of its own, and a test holds the two against each other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Any

from codegen.ir.version_steps import EACH, Step, Tokens
from codegen.loading.references import as_object
from codegen.loading.schema_nodes import Schema

Path = tuple[str | int, ...]
"""The way to one place in a value."""
Indices = tuple[int, ...]
"""Which items of the arrays on the way."""


def carried(value: Any, steps: Sequence[Step], answers: Mapping[Tokens, Any]) -> Any:
    """What a value becomes; *answers* are what lookups say, by the place they say it for."""
    draft = json.loads(json.dumps(value))  # unlike a deep copy, it has no object twice
    found: dict[int, dict[Indices, Any]] = {}
    for number in sorted(range(len(steps)), key=lambda number: -len(steps[number].source_tokens)):
        found[number] = {
            indices(path): take(draft, path)
            for path in list(paths(draft, steps[number].source_tokens))
            if steps[number].source_tokens
        }
    for number in sorted(range(len(steps)), key=lambda number: len(steps[number].target_tokens)):
        if steps[number].target_tokens:
            put(draft, steps[number], found[number], answers)
    return draft


def complete(value: Any, schema: Schema) -> Any:
    """A value with the defaults of a schema filled in."""
    if isinstance(value, list):
        return [complete(item, as_object(schema.get("items"))) for item in value]
    if not isinstance(value, dict):
        return value
    properties, others = as_object(schema.get("properties")), as_object(schema.get("additionalProperties"))
    missing = {name: part["default"] for name, part in properties.items() if "default" in part and name not in value}
    return {name: complete(member, properties.get(name, others)) for name, member in (value | missing).items()}


def paths(value: Any, pattern: Tokens) -> Iterator[Path]:
    """The places of a pattern that exist in a value."""
    if not pattern:
        yield ()
    elif pattern[0] == EACH:
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from ((index, *rest) for rest in paths(item, pattern[1:]))
    elif isinstance(value, dict) and pattern[0] in value:
        yield from ((pattern[0], *rest) for rest in paths(value[pattern[0]], pattern[1:]))


def indices(path: Path) -> Indices:
    """Which items of the arrays on its way a path names."""
    return tuple(step for step in path if isinstance(step, int))


def around(value: Any, path: Path) -> Any:
    """The object or array that holds a place, which exists."""
    for step in path[:-1]:
        value = value[step]
    return value


def take(value: Any, path: Path) -> Any:
    """What is at a place, which is gone then; an item leaves its place in the array."""
    holder: Any = around(value, path)
    return holder.pop(path[-1]) if isinstance(holder, dict) else holder[path[-1]]


def put(value: Any, step: Step, found: Mapping[Indices, Any], answers: Mapping[Tokens, Any]) -> None:
    """Put what a step puts; what is at such a place otherwise goes away."""
    for path in list(paths(value, step.target_tokens)):
        if indices(path) not in found:
            take(value, path)
    if step.source_tokens:
        for which, member in found.items():
            said = step.values.get(member, member) if isinstance(member, str) else member
            give(value, filled(step.target_tokens, which), deepcopy(answers.get(step.target_tokens, said)))
    elif step.constant:
        for path in list(paths(value, step.target_tokens[:-1])):
            holder = around(value, (*path, ""))
            if isinstance(holder, dict):
                holder[step.target_tokens[-1]] = deepcopy(step.constant[0])


def filled(pattern: Tokens, which: Indices) -> Path:
    """A pattern with the items that are meant."""
    left = iter(which)
    return tuple(next(left) if token == EACH else token for token in pattern)


def give(value: Any, path: Path, member: Any) -> None:
    """Put a value at a place; objects on the way are made."""
    for step, after in pairwise(path):
        if isinstance(step, str) and isinstance(after, str) and not isinstance(value.get(step), dict):
            value[step] = {}
        value = value[step]
    value[path[-1]] = member
