"""Options of `lint`, and of `rules`, which explains it."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolaccord_codegen.cli.options.arguments import argument
from toolaccord_codegen.cli.options.folders import ContractsOnDay
from toolaccord_codegen.reporting.formats import FORMATTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class LintOptions(ContractsOnDay):
    """Options of `lint`."""

    format: str = field(metadata=argument("default: text", choices=FORMATTERS, default="text"))
    fix: bool = field(
        metadata=argument("fix findings that need no decision; every other byte stays as it is", action="store_true")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesOptions:
    """Options of `rules`."""

    rule: str | None = field(
        metadata=argument("the rule to explain, e.g. BOUND_TIGHTENED", flag=False, nargs="?", metavar="RULE")
    )
