"""Map values by steps as the runtime does, so that every reported counterexample is real.

The runtime has its own implementation. A test compares the two.
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
"""Keys and indices that lead to one place in a value."""
Indices = tuple[int, ...]
"""The indices of the arrays on a path."""


def map_value(value: Any, steps: Sequence[Step], lookup_values: Mapping[Tokens, Any]) -> Any:
    """Map a value by steps. *lookup_values* has the lookups' answers by path."""
    draft = json.loads(json.dumps(value))  # unlike a deep copy, no object is shared
    removed: dict[int, dict[Indices, Any]] = {}
    for index, step in sorted(enumerate(steps), key=lambda each: -len(each[1].source_tokens)):
        paths = list(_matching_paths(draft, step.source_tokens)) if step.source_tokens else []
        removed[index] = {_item_indices(path): _remove(draft, path) for path in paths}
    for index, step in sorted(enumerate(steps), key=lambda each: len(each[1].target_tokens)):
        if step.target_tokens:
            _put(draft, step, removed[index], lookup_values)
    return draft


def fill_defaults(value: Any, schema: Schema) -> Any:
    """Return a value with the defaults of a schema filled in."""
    if isinstance(value, list):
        return [fill_defaults(item, as_object(schema.get("items"))) for item in value]
    if not isinstance(value, dict):
        return value
    properties, others = as_object(schema.get("properties")), as_object(schema.get("additionalProperties"))
    missing = {name: part["default"] for name, part in properties.items() if "default" in part and name not in value}
    return {name: fill_defaults(member, properties.get(name, others)) for name, member in (value | missing).items()}


def _matching_paths(value: Any, pattern: Tokens) -> Iterator[Path]:
    """Yield the paths in a value that match a pattern."""
    if not pattern:
        yield ()
    elif pattern[0] == EACH:
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from ((index, *rest) for rest in _matching_paths(item, pattern[1:]))
    elif isinstance(value, dict) and pattern[0] in value:
        yield from ((pattern[0], *rest) for rest in _matching_paths(value[pattern[0]], pattern[1:]))


def _item_indices(path: Path) -> Indices:
    """Return the array indices in a path."""
    return tuple(step for step in path if isinstance(step, int))


def _holder(value: Any, path: Path) -> Any:
    """Return the object or array that contains an existing path."""
    for step in path[:-1]:
        value = value[step]
    return value


def _remove(value: Any, path: Path) -> Any:
    """Remove and return the value at a path. An array item keeps its position."""
    holder: Any = _holder(value, path)
    return holder.pop(path[-1]) if isinstance(holder, dict) else holder[path[-1]]


def _put(value: Any, step: Step, removed: Mapping[Indices, Any], lookup_values: Mapping[Tokens, Any]) -> None:
    """Put the values of a step at its target and remove other values there."""
    for path in list(_matching_paths(value, step.target_tokens)):
        if _item_indices(path) not in removed:
            _remove(value, path)
    if step.source_tokens:
        for items, member in removed.items():
            mapped = step.values.get(member, member) if isinstance(member, str) else member
            _set(value, _resolve(step.target_tokens, items), deepcopy(lookup_values.get(step.target_tokens, mapped)))
    elif step.constant:
        for path in list(_matching_paths(value, step.target_tokens[:-1])):
            holder = _holder(value, (*path, ""))
            if isinstance(holder, dict):
                holder[step.target_tokens[-1]] = deepcopy(step.constant[0])


def _resolve(pattern: Tokens, items: Indices) -> Path:
    """Replace the wildcards of a pattern by array indices."""
    remaining = iter(items)
    return tuple(next(remaining) if token == EACH else token for token in pattern)


def _set(value: Any, path: Path, member: Any) -> None:
    """Set the value at a path and create the objects on the way."""
    for step, after in pairwise(path):
        if isinstance(step, str) and isinstance(after, str) and not isinstance(value.get(step), dict):
            value[step] = {}
        value = value[step]
    value[path[-1]] = member
