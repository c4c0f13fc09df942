"""Test that the comparison of large schemas grows with their size, not with its square."""

import json
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.codegen.conftest import Command

LEVELS = 6
MOST_GROWTH = 5
"""The most calls of functions for four times the properties, as a multiple.

n log n gives 4.9.
"""


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
