"""Contracts of many tools and of many properties, and the targets of commands over them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.processes import Cost, run

ROOT = Path(__file__).parents[1]
SERVERS, TOOLS = 100, 20
UNCHANGED_S, EDITED_S = 1.5, 2.5
"""The most seconds of processor time for 2,000 tools."""
PROPERTIES = (75, 150, 300)
LEVELS = 12
MOST_GROWTH = 2.3
"""The most time for twice the properties, as a multiple; n log n gives 2.2."""


def tool_table(home: Path) -> Iterator[str]:
    """Yield the cost of each generate over 2,000 tools, beside its target."""
    edited = home / "contracts" / "shop" / "things0.json"
    for server in range(SERVERS):
        tools = [_make_tool(f"get_{server}_{number}", _make_level(3, 1, 100)) for number in range(TOOLS)]
        _write(edited.with_stem(f"things{server}"), f"things-{server}", tools)
    yield f"| {SERVERS * TOOLS:,} tools | processor, s | target | met | memory, MiB |"
    yield "|---|---:|---:|---|---:|"
    first = _run(home, "generate")
    yield f"| generate, from nothing | {first.processor_s:.2f} | | | {first.memory_mib:.0f} |"
    for name, text, target in (
        ("generate, nothing changed", "", UNCHANGED_S),
        ("generate, after an edit of a schema", '"maximum": 99', EDITED_S),
    ):
        if text:
            edited.write_text(edited.read_text(encoding="utf-8").replace('"maximum": 100', text, 1), encoding="utf-8")
        cost = _run(home, "generate")
        met = "yes" if cost.processor_s <= target else "no"
        yield f"| {name} | {cost.processor_s:.2f} | ≤ {target} | {met} | {cost.memory_mib:.0f} |"


def property_table(home: Path) -> Iterator[str]:
    """Yield the cost of `breaking` over nested objects in which every property changed."""
    yield f"| properties at each of {LEVELS} levels, all changed | processor, s | times | target | met | memory, MiB |"
    yield "|---:|---:|---:|---:|---|---:|"
    before: float | None = None
    for count in PROPERTIES:
        for state, maximum in (("old", 100), ("new", 50)):
            place = home / f"{state}{count}" / "shop" / "deep.json"
            _write(place, "deep", [_make_tool("get", _make_level(count, LEVELS, maximum))])
        cost = _run(home, "breaking", "--contracts", f"new{count}", "--against", f"old{count}")
        times = cost.processor_s / before if before else None
        growth = f"{times:.1f} | ≤ {MOST_GROWTH} | {'yes' if times <= MOST_GROWTH else 'no'}" if times else " | | "
        yield f"| {count} | {cost.processor_s:.2f} | {growth} | {cost.memory_mib:.0f} |"
        before = cost.processor_s


def _run(home: Path, *arguments: str) -> Cost:
    """Return the cost of a command.

    Raises RuntimeError where it cannot run.
    """
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = run(home, (sys.executable, "-m", "toolaccord_codegen", *arguments), environment)
    if done.status not in ({0} if arguments[0] == "generate" else {1}):  # 1: with findings
        raise RuntimeError(f"{arguments} ended with {done.status}: {done.output}")
    return done.cost


def _write(path: Path, name: str, tools: list[Any]) -> None:
    """Write the contract of a server."""
    server = {"name": name, "title": "Things", "version": "1.0.0", "description": "Things."}
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"contract": 1, "server": server, "dialect": "plain", "tools": tools})
    path.write_text(text, encoding="utf-8")


def _make_tool(name: str, parameters: Any) -> dict[str, Any]:
    """Return the contract of a tool."""
    returns = {"type": "object", "properties": {"count": {"type": "integer"}}, "additionalProperties": False}
    return {
        "name": name,
        "version": "1.0.0",
        "description": "Return things",
        "effects": {"elsewhere": "nothing"},
        "parameters": parameters,
        "returns": returns,
        "errors": [],
        "deadline": {"timeout_ms": 1000},
        "examples": [{"arguments": {}, "returns": {"count": 1}}],
    }


def _make_level(properties: int, levels: int, maximum: int) -> dict[str, Any]:
    """Return an object of some properties, the last of which is such an object again."""
    number = {"type": "integer", "minimum": 0, "maximum": maximum, "description": "A number."}
    members: dict[str, Any] = {f"p{index}": number for index in range(properties)}
    if levels > 1:
        members["deeper"] = _make_level(properties, levels - 1, maximum)
    return {"type": "object", "properties": members, "additionalProperties": False}
