"""The command `rules`, and the ids of rules whose findings can be accepted."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from toolaccord_codegen.breaking.catalog import RULES as BREAKING_RULES
from toolaccord_codegen.breaking.rule import Direction, Profile, Rule
from toolaccord_codegen.cli.options.lint import RulesOptions
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.lint.catalog import RULES as LINT_RULES
from toolaccord_codegen.reporting.colour import TerminalStyle
from toolaccord_codegen.rules.catalog import COMPILER_RULES

ACCEPTABLE_RULES = frozenset({*BREAKING_RULES, *LINT_RULES})
"""Ids of the rules whose findings can be accepted."""


EXAMPLES = Path(__file__).with_name("rule_examples.json")
"""An example of each rule, of a golden case, as lines."""
_INDENT = 33
"""Columns of a rule's id, by which the other lines of its summary are indented."""


def run(options: RulesOptions) -> int:
    """Print every rule, or explain one.

    Raises CommandError for an unknown rule.
    """
    style = TerminalStyle.of(sys.stdout)
    if options.rule is None:
        print("\n".join(style.wrap(line, _INDENT) for line in _lines()))
    else:
        print("\n".join(style.wrap(line) for line in _explain(options.rule)))
    return 0


def _explain(name: str) -> Iterator[str]:
    """Yield the summary, the levels or the reason, the cure and an example of a rule."""
    if name in COMPILER_RULES:
        yield from (f"{name}: {COMPILER_RULES[name]}", "an error: the contracts do not compile")
    elif name in LINT_RULES:
        yield from (f"{name}: {LINT_RULES[name].summary}", LINT_RULES[name].why)
    elif name in BREAKING_RULES:
        rule = BREAKING_RULES[name]
        yield from (f"{name}: {rule.summary}", _describe_levels(rule), rule.cure)
    else:
        close = get_close_matches(name, [*COMPILER_RULES, *LINT_RULES, *BREAKING_RULES], 1)
        hint = f'did you mean "{close[0]}"?' if close else "the command without a name lists them"
        raise CommandError(f"there is no rule {name}; {hint}")
    example = json.loads(EXAMPLES.read_text(encoding="utf-8"))[name]
    yield from ("", "example:", *(f"  {line}" for line in example))


def _describe_levels(rule: Rule) -> str:
    """Return the levels of a change in words."""
    levels = [rule.impact(Profile.DEFAULT, direction, "").level.value for direction in Direction]
    return levels[0] if len({*levels}) == 1 else f"{levels[0]} in arguments, {levels[1]} in results"


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
