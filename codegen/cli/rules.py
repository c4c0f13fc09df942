"""The command `rules`, and the ids of rules whose findings can be accepted."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.breaking.catalog import RULES as BREAKING_RULES
from codegen.breaking.rule import Direction, Profile, Rule
from codegen.cli.options import RulesOptions
from codegen.lint.catalog import RULES as LINT_RULES
from codegen.rules.catalog import COMPILER_RULES

SUPPRESSIBLE_RULES = frozenset({*BREAKING_RULES, *LINT_RULES})
"""Ids of the rules whose findings can be accepted."""


def run(_: RulesOptions) -> int:
    """Print every rule."""
    print("\n".join(_lines()))
    return 0


def format_levels(rule: Rule) -> str:
    """Return the levels of a change by default, for inputs and outputs where they differ."""
    found = [rule.impact(Profile.DEFAULT, direction, "").level.value for direction in Direction]
    return " / ".join(dict.fromkeys(found))


def _lines() -> Iterator[str]:
    """Yield the id, the level and the summary of every rule."""
    yield "Contracts and handlers (generate, check): all are errors"
    yield from (f"  {name:<30} {summary}" for name, summary in sorted(COMPILER_RULES.items()))
    yield ""
    yield "Weaknesses of contracts (lint): all are findings; --fix can fix those with a *"
    for name, lint_rule in sorted(LINT_RULES.items()):
        yield f"  {name:<30} {'*' if lint_rule.is_fixable else ' '} {lint_rule.summary}"
    yield ""
    yield "Changes of contracts (breaking): level in the default profile, for inputs / outputs where they differ"
    for _, rule in sorted(BREAKING_RULES.items()):
        yield f"  {rule.id:<30} {format_levels(rule):<20} {rule.summary}"
