"""The command `rules`: every rule of the compiler and of its judges."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from codegen.breaking.catalog import RULES
from codegen.breaking.rule import Direction, Profile, Rule
from codegen.lint.catalog import RULES as OF_LINT
from codegen.rules.catalog import COMPILER_RULES

SUPPRESSIBLE_RULES = frozenset({*RULES, *OF_LINT})
"""Ids of the rules whose findings can be accepted."""


def run_rules(_: argparse.Namespace) -> int:
    """Print the rules."""
    print("\n".join(rule_lines()))
    return 0


def rule_lines() -> Iterator[str]:
    """Every rule: its id, its level, what it says."""
    yield "Contracts and handlers (generate, check): all are errors"
    yield from (f"  {name:<30} {summary}" for name, summary in sorted(COMPILER_RULES.items()))
    yield ""
    yield "What contracts are better without (lint): all are findings; --fix can mend those with a *"
    yield from (
        f"  {rule.id:<30} {'*' if rule.is_fixable else ' '} {rule.summary}"
        for rule in sorted(OF_LINT.values(), key=lambda rule: rule.id)
    )
    yield ""
    yield "Changes of contracts (breaking): level in the default profile, for inputs / outputs where they differ"
    yield from (
        f"  {rule.id:<30} {levels(rule):<20} {rule.summary}"
        for rule in sorted(RULES.values(), key=lambda rule: rule.id)
    )


def levels(rule: Rule) -> str:
    """How grave a change is in the default profile, in inputs and in outputs."""
    found = [rule.verdict(Profile.DEFAULT, direction, "").level.value for direction in Direction]
    return " / ".join(dict.fromkeys(found))
