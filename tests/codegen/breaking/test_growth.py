"""Test that the comparison of large and deep schemas grows with their size alone."""

import json
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.codegen.breaking.oracle.judge import reports
from tests.codegen.breaking.oracle.pairs import Written
from tests.codegen.conftest import Command
from toolaccord_codegen.breaking.compare.schemas.comparison import schema_changes
from toolaccord_codegen.breaking.compare.schemas.schema_pair import Topic
from toolaccord_codegen.breaking.rule import Direction

LEVELS = 6
MOST_GROWTH = 5
"""The most calls of functions for four times the properties, as a multiple.

n log n gives 4.9.
"""
MOST_SECONDS = 4
"""The most processor time of a comparison that takes 0.4 s, and took 17 s without tags."""


def level(properties: int, depth: int, maximum: int) -> dict[str, Any]:
    """Return an object of some properties, the last of which is such an object again."""
    members: dict[str, Any] = {
        f"p{number}": {"type": "integer", "minimum": 0, "maximum": maximum} for number in range(properties)
    }
    if depth > 1:
        members["deeper"] = level(properties, depth - 1, maximum)
    return {"type": "object", "properties": members, "additionalProperties": False}


def write_contract(folder: Path, parameters: dict[str, Any]) -> None:
    """Write the contract of one tool with some parameters."""
    contract = json.loads(Path("contracts/shop/stock.json").read_text(encoding="utf-8"))
    contract["tools"][0] |= {"parameters": parameters, "examples": [{"arguments": {}, "returns": {"count": 1}}]}
    (folder / "shop").mkdir(parents=True)
    (folder / "shop" / "stock.json").write_text(json.dumps(contract), encoding="utf-8")


def count_calls(command: Command, properties: int) -> int:
    """Return the calls of Python functions in a comparison in which every property changed."""
    old, new = Path(f"old{properties}"), Path(f"new{properties}")
    write_contract(old, level(properties, LEVELS, 100))
    write_contract(new, level(properties, LEVELS, 50))
    calls = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        _, printed = command("breaking", "--contracts", str(new), "--against", str(old))
    finally:
        sys.setprofile(before)
    assert printed.count("accepted before, rejected now") == properties * LEVELS
    return calls


@pytest.mark.usefixtures("shop")
def test_four_times_the_changed_properties_take_about_four_times_the_steps(command: Command) -> None:
    count_calls(command, 2)  # loads modules
    assert count_calls(command, 80) <= MOST_GROWTH * count_calls(command, 20)


def write(schema: dict[str, Any]) -> Written:
    """Return a schema without references."""
    return Written(schema, {}, schema)


def union_of(tags: int, maximum: int) -> dict[str, Any]:
    """Return a union of tagged objects."""
    arms = [level(1, 1, maximum) for _ in range(tags)]
    return {
        "oneOf": [
            {**arm, "properties": {"kind": {"const": f"k{number}"}, **arm["properties"]}, "required": ["kind"]}
            for number, arm in enumerate(arms)
        ]
    }


@pytest.mark.parametrize("direction", Direction)
def test_a_union_of_200_tags_is_compared_tag_by_tag(direction: Direction) -> None:
    started = time.process_time()
    assert len(reports(direction, *(write(union_of(200, maximum)) for maximum in (100, 50)))) == 200
    assert time.process_time() - started < MOST_SECONDS


def test_a_change_40_levels_deep_is_found_at_its_place() -> None:
    def nest(leaf: dict[str, Any]) -> dict[str, Any]:
        for _ in range(40):
            leaf = {"type": "object", "properties": {"in": leaf}, "additionalProperties": False}
        return leaf

    topic = Topic(direction=Direction.INPUT, noun="argument", whole="arguments")
    nodes = (write(nest({"type": "integer", "maximum": maximum})).node for maximum in (9, 8))
    [change] = schema_changes(topic, *nodes)
    assert (change.rule, change.pointer) == ("BOUND_TIGHTENED", "/in" * 40)
