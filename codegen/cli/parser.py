"""The command line: its parser, and the options record that each command receives."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from codegen.cli import options
from codegen.cli.arguments import (
    add_comparison,
    add_contracts,
    add_folders,
    add_format,
    add_publication,
    add_today,
    server_path,
)

EXAMPLES = """examples:
  %(prog)s generate
  %(prog)s check --against main
  %(prog)s lint --fix
  %(prog)s breaking --against main --format markdown
  %(prog)s new server tradestream/alerts
  %(prog)s new tool tradestream/alerts get_alerts

exit status: 0 no findings, 1 findings, 2 the command could not run
"""
LINT_NOTES = """
Each finding is one line, file:line:column: RULE: the fault and its remedy, followed by an excerpt and the reason for
the rule. Accept an intended finding in <server>.accepted.json beside the contract, with its rule and fingerprint, a
reason and the date. docs/lint.md explains every rule; the command `rules` lists them.
"""


class Commands(Protocol):
    """The result of argparse's `add_subparsers`, whose class is private."""

    def add_parser(self, name: str, **options: Any) -> argparse.ArgumentParser:
        """Add a command."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command with its options."""

    target: str
    """The command's function, as `module:name`."""
    options: object

    def run(self) -> int:
        """Load the command's module, run it, and return its exit status.

        Modules are loaded on demand: together they take longer than a `check` without changes.
        """
        module, _, name = self.target.partition(":")
        return int(getattr(import_module(module), name)(self.options))


def program_name() -> str:
    """Return the name by which the program was called, `toolpact` or `python -m codegen`."""
    return "toolpact" if Path(sys.argv[0]).stem == "toolpact" else "python -m codegen"


def parse(arguments: Sequence[str] | None) -> Invocation:
    """Parse command-line arguments, by default those of the process.

    Raises SystemExit for `--help` and for invalid arguments.
    """
    values = _build_parser().parse_args(arguments)
    return Invocation(values.target, values.read(values))


def _build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog=program_name(),
        description="Compile JSON contracts into Pydantic models and MCP servers.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_generate(commands)
    _add_check(commands)
    _add_lint(commands)
    _add_breaking(commands)
    _add_changelog(commands)
    _add_command(commands, "rules", "list every rule with its id", "", "codegen.cli.rules:run", lambda _: None)
    _add_new(commands)
    return parser


def _add_command(  # noqa: PLR0913, PLR0917 - a row of a table
    commands: Commands,
    name: str,
    summary: str,
    example: str,
    target: str,
    read: Callable[[argparse.Namespace], object],
    notes: str = "",
) -> argparse.ArgumentParser:
    """Add a command; `read` makes its options record of the parsed values."""
    command = _add_parser(commands, name, summary, example, notes)
    command.set_defaults(target=target, read=read)
    return command


def _add_parser(commands: Commands, name: str, summary: str, example: str, notes: str = "") -> argparse.ArgumentParser:
    """Add a command, or a group of commands, whose `--help` ends with an example and notes."""
    return commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example:\n  %(prog)s{example and f' {example}'}\n{notes}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _add_generate(commands: Commands) -> None:
    summary = "write the generated files of every contract"
    example = "--contracts api/contracts --out src/acme --package acme --handlers acme_handlers"
    command = _add_command(commands, "generate", summary, example, "codegen.cli.generate:run", _generate_options)
    add_folders(command)
    add_publication(command)


def _add_check(commands: Commands) -> None:
    summary = "compare generated files and handlers with the contracts, and lint the contracts"
    command = _add_command(commands, "check", summary, "--against main", "codegen.cli.check:run", _check_options)
    add_folders(command)
    add_publication(command)
    add_comparison(command, required=False)


def _add_lint(commands: Commands) -> None:
    summary = "find weaknesses in contracts that compile"
    command = _add_command(commands, "lint", summary, "--fix", "codegen.cli.lint:run", _lint_options, LINT_NOTES)
    add_contracts(command)
    add_format(command)
    command.add_argument(
        "--fix", action="store_true", help="fix findings that need no decision; every other byte stays as it is"
    )
    add_today(command)


def _add_breaking(commands: Commands) -> None:
    summary = "find changes of contracts that break callers, and the versions that they require"
    example = "--against main --format markdown"
    command = _add_command(commands, "breaking", summary, example, "codegen.cli.breaking:run", _breaking_options)
    add_contracts(command)
    add_comparison(command, required=True)
    add_format(command)


def _add_changelog(commands: Commands) -> None:
    summary = "write a changelog entry for the changes of contracts"
    example = "--against v1.2.0 --into CHANGELOG.md"
    command = _add_command(commands, "changelog", summary, example, "codegen.cli.changelog:run", _changelog_options)
    add_contracts(command)
    add_comparison(command, required=True)
    command.add_argument("--into", type=Path, metavar="FILE", help="the CHANGELOG.md to write to; default: print")


def _add_new(commands: Commands) -> None:
    new = _add_parser(commands, "new", "start a server or a tool", "server tradestream/alerts")
    kinds = new.add_subparsers(required=True, metavar="KIND")
    summary = "write a contract with one tool, and a module for its handlers"
    server = _add_command(kinds, "server", summary, "tradestream/alerts", "codegen.cli.new:run", _new_options)
    summary = "add a tool to a contract, and a stub to its handlers"
    example = "tradestream/alerts get_alerts"
    tool = _add_command(kinds, "tool", summary, example, "codegen.cli.new:run", _new_options)
    for command in (server, tool):
        command.add_argument("server", metavar="SYSTEM/NAME", type=server_path, help="e.g. tradestream/strategy")
        add_folders(command)
    server.set_defaults(tool=None)
    tool.add_argument("tool", metavar="TOOL", help="the name that models call, e.g. get_alerts")


def _folders(values: argparse.Namespace) -> options.Folders:
    return options.Folders(contracts=values.contracts, out=values.out, package=values.package, handlers=values.handlers)


def _generate_options(values: argparse.Namespace) -> options.GenerateOptions:
    return options.GenerateOptions(
        folders=_folders(values), sandbox=values.sandbox, namespace=values.namespace, images=values.images
    )


def _comparison_options(values: argparse.Namespace) -> options.ComparisonOptions:
    return options.ComparisonOptions(
        contracts=values.contracts, against=values.against, profile=values.profile, today=values.today
    )


def _check_options(values: argparse.Namespace) -> options.CheckOptions:
    comparison = _comparison_options(values) if values.against else None
    return options.CheckOptions(generate=_generate_options(values), comparison=comparison, today=values.today)


def _lint_options(values: argparse.Namespace) -> options.LintOptions:
    return options.LintOptions(contracts=values.contracts, format=values.format, fix=values.fix, today=values.today)


def _breaking_options(values: argparse.Namespace) -> options.BreakingOptions:
    return options.BreakingOptions(comparison=_comparison_options(values), format=values.format)


def _changelog_options(values: argparse.Namespace) -> options.ChangelogOptions:
    return options.ChangelogOptions(comparison=_comparison_options(values), into=values.into)


def _new_options(values: argparse.Namespace) -> options.NewOptions:
    system, server = values.server
    return options.NewOptions(folders=_folders(values), system=system, server=server, tool=values.tool)
