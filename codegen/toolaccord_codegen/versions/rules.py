"""Check a tool's older versions: order, dates, lookups, steps and conversion."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.semantics.versions import parse_version
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.scalars import parse_date
from toolaccord_codegen.naming import Identifier, describe_reserved
from toolaccord_codegen.rules.tool_view import ToolView, place_items
from toolaccord_codegen.versions.proof import check_proof
from toolaccord_codegen.versions.step_rules import check_steps
from toolaccord_codegen.versions.transition import transitions

DAYS = ("released_on", "deprecated_on", "sunset_on")


def check_versions(view: ToolView) -> Iterator[Problem]:
    """Yield the faults of a tool's older versions, and of its dates."""
    yield from _check_dates(view)
    if not view.older:
        return
    yield from _check_order(view)
    yield from _check_lookups(view)
    for transition in transitions(view):
        found = list(check_steps(transition))
        yield from found or check_proof(transition)


def _check_order(view: ToolView) -> Iterator[Problem]:
    """Yield versions that are not older than the one before them."""
    for older, newer in zip(view.older, (view.newest, *view.older), strict=False):
        before, after = parse_version(older.version), parse_version(newer.version)
        if before and after and before >= after:
            sentence = f"{older.version} is not older than {newer.version}, which comes before it; list the newest first, each once"
            yield view.problem(f"{older.pointer}/version", "VERSION_ORDER", sentence)


def _check_dates(view: ToolView) -> Iterator[Problem]:
    """Yield dates that do not exist."""
    for each in (view.newest, *view.older):
        for key in DAYS:
            day = getattr(each.declared, key, None)
            if day and not parse_date(day):
                sentence = f"{day} is not a date; write an existing day as YYYY-MM-DD"
                yield view.problem(f"{each.pointer}/{key}", "DAY_UNKNOWN", sentence)


def _check_lookups(view: ToolView) -> Iterator[Problem]:
    """Yield lookups whose function cannot have their name."""
    tools = {str(Identifier(tool.name)) for tool in view.contract.tools}
    for at, older in place_items("/versions", view.declared.versions):
        for key, suffix in (("parameters", ""), ("returns", "_back")):
            for place, step in place_items(f"{at}/to_next/{key}", getattr(older.to_next, key)):
                lookup = step.lookup
                if lookup and Identifier(lookup) != lookup:
                    sentence = f"{describe_reserved(lookup)}; choose another"
                    yield view.problem(f"{place}/lookup", "RESERVED_NAME", sentence)
                elif lookup and f"{lookup}{suffix}" in tools:
                    sentence = f"a tool's handler already has the name {lookup}{suffix}; choose another"
                    yield view.problem(f"{place}/lookup", "NAME_COLLISION", sentence)
