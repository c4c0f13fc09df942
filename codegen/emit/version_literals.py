"""Older versions of tools as expressions in server.py."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from codegen.ir.contract import Contract, Tool
from codegen.ir.version_steps import Step
from codegen.naming import format_literal


def build_version_context(contract: Contract) -> dict[str, Any]:
    """Build the template values of server.py for the versions of all tools."""
    classes = {_name_step_class(step) for tool in contract.tools for step in _list_steps(tool)}
    return {
        "lookups": _describe_lookups(contract),
        "step_imports": ", ".join(sorted(classes)),
        "uses_dates": any(day for tool in contract.tools for day in _list_dates(tool)),
    }


def _list_dates(tool: Tool) -> Iterator[date | None]:
    """List the dates of a tool and of its older versions."""
    yield tool.released_on
    for version in tool.versions:
        yield from (version.released_on, version.deprecated_on, version.sunset_on)


def _list_steps(tool: Tool) -> Iterator[Step]:
    """List the mapping steps between the versions of a tool."""
    for version in tool.versions:
        yield from (*version.parameter_steps, *version.result_steps)


def _describe_lookups(contract: Contract) -> dict[str, str]:
    """Write the docstrings of the lookup functions, by name."""
    docstrings: dict[str, str] = {}
    for tool in contract.tools:
        for version in tool.versions:
            name = f"{tool.name} {version.version}"
            argument = f"Map an argument's value of {name} to the next version"
            value = f"Map a result's value of the next version to {name}"
            docstrings |= dict.fromkeys(version.request_lookups, argument)
            docstrings |= dict.fromkeys(version.result_lookups, value)
    return docstrings


def format_date(value: date | None) -> str:
    """Format a date as a Python expression."""
    return repr(value).removeprefix("datetime.")


def _name_step_class(step: Step) -> str:
    """Name the class of a step in toolpact.declarations.version_steps."""
    return "Add" if step.source is None else "Drop" if step.target is None else "Move"


def format_step(step: Step, suffix: str) -> str:
    """Format a step as a Python expression; *suffix* ends the name of a lookup function."""
    arguments = [format_literal(pointer) for pointer in (step.source, step.target) if pointer is not None]
    arguments += [format_literal(constant) for constant in step.constant]
    if step.values:
        arguments.append(f"values={tuple(step.values.items())!r}")
    if step.lookup:
        arguments.append(f"lookup=handlers.{step.lookup}{suffix}")
    return f"{_name_step_class(step)}({', '.join(arguments)})"
