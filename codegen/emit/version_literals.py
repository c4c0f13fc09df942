"""Older versions as server.py declares them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from codegen.ir.contract import Contract, Tool
from codegen.ir.version_steps import Step
from codegen.naming import format_literal


def version_values(contract: Contract) -> dict[str, Any]:
    """What the template of server.py needs to know of the versions of all tools."""
    classes = {step_class(step) for tool in contract.tools for step in steps(tool)}
    return {
        "lookups": lookups(contract),
        "step_imports": ", ".join(sorted(classes)),
        "uses_dates": any(day for tool in contract.tools for day in days(tool)),
    }


def days(tool: Tool) -> Iterator[date | None]:
    """The days that a tool and its older versions name."""
    yield tool.released_on
    for version in tool.versions:
        yield from (version.released_on, version.deprecated_on, version.sunset_on)


def steps(tool: Tool) -> Iterator[Step]:
    """The steps between the versions of a tool."""
    for version in tool.versions:
        yield from (*version.parameter_steps, *version.result_steps)


def lookups(contract: Contract) -> dict[str, str]:
    """The functions that say what no step can, with what each says."""
    found: dict[str, str] = {}
    for tool in contract.tools:
        for version in tool.versions:
            who = f"{tool.name} {version.version}"
            found |= dict.fromkeys(version.request_lookups, f"Say what a value that {who} takes is to the next version")
            found |= dict.fromkeys(version.result_lookups, f"Say what a value that the next version gives is to {who}")
    return found


def day(value: date | None) -> str:
    """A day as a Python expression."""
    return repr(value).removeprefix("datetime.")


def step_class(step: Step) -> str:
    """The name of a step's class in the runtime."""
    return "Add" if step.source is None else "Drop" if step.target is None else "Move"


def step_literal(step: Step, suffix: str) -> str:
    """A step as a Python expression; a lookup's function has the suffix of its direction behind its name."""
    said = [format_literal(place) for place in (step.source, step.target) if place is not None]
    said += [format_literal(constant) for constant in step.constant]
    if step.values:
        said.append(f"values={tuple(step.values.items())!r}")
    if step.lookup:
        said.append(f"lookup=handlers.{step.lookup}{suffix}")
    return f"{step_class(step)}({', '.join(said)})"
