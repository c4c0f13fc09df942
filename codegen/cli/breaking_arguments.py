"""What the commands `breaking` and `changelog`, and `check`, understand; the judges are loaded when one is run."""

from __future__ import annotations

import argparse
from pathlib import Path

from codegen.cli.lint_arguments import add_today
from codegen.cli.options import Commands, add_contracts, add_format

PROFILES = ("strict", "default", "lenient")
"""The values of `rules.Profile`, which takes a while to load."""


def add_judges(commands: Commands) -> None:
    """The commands that compare the contracts with what they were."""
    for name, does in (
        ("breaking", "say whom the changes of the contracts break, and which versions they need"),
        ("changelog", "write what changed in the contracts for those who use them"),
    ):
        command = commands.add_parser(name, help=does, description=f"{does.capitalize()}.")
        add_contracts(command)
        add_comparison(command, required=True)
        add_today(command)
        command.set_defaults(run=f"codegen.cli.breaking:run_{name}")
        if name == "breaking":
            add_format(command)
        else:
            command.add_argument("--into", type=Path, metavar="FILE", help="a CHANGELOG.md to write to; default: print")


def add_comparison(command: argparse.ArgumentParser, *, required: bool) -> None:
    """What to compare with, and how strictly."""
    says = "what the contracts were: a git ref of their repository, a folder, or upstream: where this branch began"
    command.add_argument("--against", required=required, metavar="REF_OR_DIR", help=says)
    command.add_argument("--profile", choices=PROFILES, default="default", help="how strict to be; default: default")
