"""Rules for the older versions of a tool: their order, their days, their lookups, their steps, and what these carry."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from codegen.diagnostics import Problem
from codegen.loading.documents import join_pointer
from codegen.loading.references import as_array, as_object
from codegen.naming import Identifier
from codegen.rules.tool_view import ToolView
from codegen.versions.proof import carrying_faults
from codegen.versions.step_rules import step_faults
from codegen.versions.transition import hops

DAYS = ("released_on", "deprecated_on", "sunset_on")


def version_faults(view: ToolView) -> Iterator[Problem]:
    """Faults of the versions that a tool answers beside its newest."""
    yield from day_faults(view)
    if not view.older:
        return
    yield from order_faults(view)
    yield from lookup_faults(view)
    for hop in hops(view):
        found = list(step_faults(hop))
        yield from found or carrying_faults(hop)


def order_faults(view: ToolView) -> Iterator[Problem]:
    """Versions that are not older than the one before them."""
    for older, newer in zip(view.older, (view.newest, *view.older), strict=False):
        numbers = numbers_of(older.version), numbers_of(newer.version)
        if all(numbers) and numbers[0] >= numbers[1]:
            sentence = (
                f"{older.version} is not older than {newer.version}, which stands before it; newest first, each once"
            )
            yield view.problem(f"{older.pointer}/version", "VERSION_ORDER", sentence)


def numbers_of(version: str) -> tuple[int, ...]:
    """The numbers of a version; none where it is none."""
    parts = version.split(".")
    return tuple(map(int, parts)) if len(parts) == 3 and all(part.isdecimal() for part in parts) else ()


def day_faults(view: ToolView) -> Iterator[Problem]:
    """Days that no calendar has."""
    for each in (view.newest, *view.older):
        for key in DAYS:
            day = each.declaration.get(key)
            if isinstance(day, str) and not is_day(day):
                yield view.problem(f"{each.pointer}/{key}", "DAY_UNKNOWN", f"no calendar has the day {day}")


def is_day(text: str) -> bool:
    """Whether a calendar has a day."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def lookup_faults(view: ToolView) -> Iterator[Problem]:
    """Lookups whose functions could not have their names."""
    tools = {Identifier(name) for name in map(name_of, as_array(view.contract.get("tools"))) if isinstance(name, str)}
    for older in view.older:
        for key, suffix in (("parameters", ""), ("returns", "_back")):
            steps = as_array(as_object(older.declaration.get("to_next")).get(key))
            for index, step in enumerate(map(as_object, steps)):
                lookup = step.get("lookup")
                at = join_pointer(f"{older.pointer}/to_next/{key}", index, "lookup")
                if isinstance(lookup, str) and Identifier(lookup) != lookup:
                    yield view.problem(at, "RESERVED_NAME", f'"{lookup}" is taken; choose another')
                elif isinstance(lookup, str) and f"{lookup}{suffix}" in tools:
                    sentence = f"the handler of a tool is called {lookup}{suffix} already; choose another name"
                    yield view.problem(at, "NAME_COLLISION", sentence)


def name_of(tool: Any) -> Any:
    """The name of a tool of any shape."""
    return as_object(tool).get("name")
