"""JSON values are equal as JSON Schema says, and nobody compares them in another way."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolaccord_codegen
from toolaccord_codegen.loading.json_equality import canonical_json, contains_json, distinct_json, equal_json

SCALARS = st.sampled_from([None, True, False, 0, 1, -1, 0.0, 1.0, 1.5, "", "1", "true"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
)
HOLDERS = frozenset({"breaking", "versions", "schema_sets", "rules", "lint"})
"""Packages that compare values of contracts."""
JSON_FACTS = frozenset({"value", "values", "keywords", "constraints", "inlined"})
"""Attributes that hold any JSON value."""
JSON_KEYS = frozenset({"const", "enum", "default", "examples", "static", "x-unknown"})
"""Keys of contracts whose value is any JSON value."""


@settings(max_examples=100, deadline=None, derandomize=True)
@given(VALUES, VALUES)
def test_two_values_are_equal_as_a_validator_has_it(one: Any, other: Any) -> None:
    is_admitted = jsonschema_rs.Draft202012Validator({"const": one}).is_valid(other)
    assert equal_json(one, other) is is_admitted
    assert (canonical_json(one) == canonical_json(other)) is is_admitted


@pytest.mark.parametrize("one, other", [(1, True), (0, False), ({"a": [1]}, {"a": [True]}), ("1", 1)])
def test_a_boolean_is_no_number(one: Any, other: Any) -> None:
    assert not equal_json(one, other)
    assert not contains_json([one], other)
    assert distinct_json([one, other, one]) == [one, other]


@pytest.mark.parametrize("one, other", [(1, 1.0), ({"a": 1, "b": 2}, {"b": 2.0, "a": 1.0}), (-0.0, 0)])
def test_a_whole_number_is_an_integer_and_members_have_no_order(one: Any, other: Any) -> None:
    assert equal_json(one, other)
    assert contains_json([one], other)
    assert distinct_json([one, other]) == [one]


def test_nobody_compares_json_values_as_python_does() -> None:
    folder = Path(toolaccord_codegen.__file__).parent
    modules = [path for name in HOLDERS for path in sorted((folder / name).rglob("*.py"))]
    found = [f"{path.relative_to(folder)}:{line}" for path in modules for line in python_comparisons(path)]
    assert found == [], "compare JSON values by equal_json or contains_json of toolaccord_codegen.loading.json_equality"


def python_comparisons(path: Path) -> Iterator[str]:
    """Yield the lines that compare JSON values by ``==``, ``!=`` or ``in``.

    A comparison with a constant, or of one named fact such as a type, is no comparison of JSON values.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn):
            continue
        is_membership = isinstance(node.ops[0], ast.In | ast.NotIn)
        sides = [node.left] if is_membership else [node.left, *node.comparators]  # keys are texts, and values any JSON
        if not any(isinstance(side, ast.Constant) for side in sides) and any(map(is_json, sides)):
            yield f"{node.lineno}: {ast.unparse(node)}"


def is_json(side: ast.expr) -> bool:
    """Return True if an expression reads a JSON value: by a fact of a node, or by a key."""
    match side:
        case ast.Attribute(attr=name):
            return name in JSON_FACTS
        case ast.Subscript(slice=ast.Constant(value=key)):
            return key in JSON_KEYS
        case ast.Subscript(value=holder):
            return is_json(holder)
        case ast.Call(func=ast.Attribute(attr="get" | "value" | "values"), args=[ast.Constant(value=key), *_]):
            return key in JSON_KEYS
        case _:
            return False
