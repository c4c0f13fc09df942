"""Valid values of a schema, from a contract's examples and from the schema itself: what mutants are made of."""

import json
from collections.abc import Iterator
from typing import Any

from tests.servers.oracle import Oracle


def valid_requests(tool: dict[str, Any]) -> list[dict[str, Any]]:
    """Return different valid arguments of *tool*, the examples first."""
    schema, examples = tool["parameters"], [example for example in tool["examples"] if "returns" in example]
    oracle = Oracle(schema)
    candidates = [*(example["arguments"] for example in examples), *_generated(schema, examples)]
    different = {json.dumps(candidate, sort_keys=True): candidate for candidate in candidates}
    return [candidate for candidate in different.values() if oracle.admits(candidate)]


def _generated(schema: dict[str, Any], examples: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the least and the fullest arguments, and one for each further value worth having."""
    properties = schema.get("properties", {})
    known = {name: value for example in examples for name, value in example["arguments"].items()}
    values = {name: [*([known[name]] if name in known else []), *_values(of)] for name, of in properties.items()}
    least = {name: values[name][0] for name in schema.get("required", [])}
    fullest = {name: some[0] for name, some in values.items()}
    yield least
    yield fullest
    for name, some in values.items():
        for value in some:
            yield least | {name: value}


def _values(schema: dict[str, Any]) -> list[Any]:
    """Return values of *schema*; patterns and formats are left to the examples."""
    if "enum" in schema:
        return list(schema["enum"])
    if "const" in schema:
        return [schema["const"]]
    default = [schema["default"]] if "default" in schema else []
    low, high = schema.get("minimum", 0), schema.get("maximum", schema.get("minimum", 0) + 9)
    kinds: dict[str, list[Any]] = {
        "string": ["B" * max(1, schema.get("minLength", 1)), "b" * schema.get("maxLength", 9)],
        "integer": [low, low + 1, high],
        "number": [low, high, (low + high) / 2],
        "boolean": [True, False],
        "array": [[]],
        "object": [{}],
    }
    return default + kinds[schema["type"]]
