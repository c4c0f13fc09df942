"""Options of `site`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from toolaccord_codegen.cli.options.arguments import argument, project_key
from toolaccord_codegen.cli.options.comparison import PROFILES
from toolaccord_codegen.cli.options.folders import ContractsOnDay
from toolaccord_codegen.cli.options.generate import GenerateOptions
from toolaccord_codegen.cli.value_types import parse_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteOptions:
    """Options of `site`."""

    generate: GenerateOptions
    day: ContractsOnDay
    output: Path = field(
        metadata=argument(
            "the folder for the pages; default: site", type=parse_folder, default=Path("site"), metavar="DIR"
        )
    )
    against: list[str] | None = field(
        metadata=argument(
            "show the changes since these earlier contracts, a git ref or a folder; repeatable, the oldest first",
            action="append",
            metavar="REF_OR_DIR",
        )
    )
    profile: str = field(metadata=project_key("the strictness; default: default", choices=PROFILES, default="default"))
