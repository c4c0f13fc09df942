"""Older versions of tools as expressions in server.py."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from codegen.ir.contract import Contract, Tool
from codegen.naming import format_literal
from toolpact.semantics.json_pointers import join_pointer
from toolpact.semantics.version_steps import ABSENT, Step


def build_version_context(contract: Contract) -> dict[str, Any]:
    """Build the template values of server.py for the versions of all tools."""
    functions = {_name_step_function(step) for tool in contract.tools for step in _list_steps(tool)}
    return {
        "lookups": _describe_lookups(contract),
        "step_imports": ", ".join(sorted(functions)),
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


def _name_step_function(step: Step) -> str:
    """Name the function of toolpact.semantics.version_steps that makes a step."""
    return "add" if not step.source else "move" if step.target else "drop"


def format_step(step: Step, suffix: str) -> str:
    """Format a step as a Python expression; *suffix* ends the name of a lookup function."""
    arguments = [format_literal(join_pointer("", *path)) for path in (step.source, step.target) if path]
    if step.constant is not ABSENT:
        arguments.append(format_literal(step.constant))
    if step.values:
        arguments.append(f"values={step.values!r}")
    if step.lookup:
        arguments.append(f"lookup=handlers.{step.lookup}{suffix}")
    return f"{_name_step_function(step)}({', '.join(arguments)})"
