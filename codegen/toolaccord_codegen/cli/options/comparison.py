"""Options of commands that compare contracts with an earlier state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from toolaccord_codegen.cli.options.arguments import argument, project_key
from toolaccord_codegen.cli.options.folders import ContractsOnDay
from toolaccord_codegen.cli.options.generate import GenerateOptions
from toolaccord_codegen.reporting.formats import FORMATTERS

PROFILES = ("strict", "default", "lenient")
"""The values of `breaking.rule.Profile`, which takes a while to load."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonOptions(ContractsOnDay):
    """Options for the comparison of contracts with an earlier state."""

    against: str = field(
        metadata=argument(
            "the earlier contracts: a git ref, a folder, or `upstream` for the commit at which this branch began",
            default="",
            metavar="REF_OR_DIR",
        )
    )
    profile: str = field(metadata=project_key("the strictness; default: default", choices=PROFILES, default="default"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """Options of `check`, which compares contracts only with `--against`."""

    generate: GenerateOptions
    comparison: ComparisonOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakingOptions:
    """Options of `breaking`."""

    comparison: ComparisonOptions
    servers: Sequence[str] | None = field(
        metadata=argument(
            "compare two MCP servers instead of contracts, each a URL, a command or a saved list of tools",
            nargs=2,
            metavar=("OLD", "NEW"),
        )
    )
    accepted: Path | None = field(
        metadata=argument("with --servers: the file that accepts findings", type=Path, metavar="FILE")
    )
    token_env: str | None = field(
        metadata=argument("with --servers: the environment variable with the bearer token of a URL", metavar="NAME")
    )
    format: str = field(metadata=argument("default: text", choices=FORMATTERS, default="text"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangelogOptions:
    """Options of `changelog`."""

    comparison: ComparisonOptions
    into: Path | None = field(
        metadata=argument("the CHANGELOG.md to write to; default: print", type=Path, metavar="FILE")
    )
