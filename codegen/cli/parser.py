"""The command line: the table of commands, and its parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import Field, dataclass, fields, is_dataclass
from importlib import import_module
from typing import Any, get_type_hints

from codegen.cli import options
from codegen.cli.options import program_name

EXAMPLES = """examples:
  %(prog)s generate
  %(prog)s check --against main
  %(prog)s lint --fix
  %(prog)s breaking --against main --format markdown
  %(prog)s new server tradestream/alerts
  %(prog)s new tool tradestream/alerts get_alerts

exit status: 0 no findings, 1 findings, 2 the command could not run, 3 the contracts do not compile
"""
LINT_NOTES = """
Each finding is one line, file:line:column: RULE: the fault and its remedy, followed by an excerpt and the reason for
the rule. Accept an intended finding in <server>.accepted.json beside the contract, with its rule and fingerprint, a
reason and the date. docs/lint.md explains every rule; the command `rules` lists them.
"""


@dataclass(frozen=True, slots=True)
class Command:
    """One command."""

    name: str
    """Its words, e.g. `new server`."""
    target: str
    """Its function, as `module:name`."""
    options: type
    """The record of its options; the function's only argument."""
    summary: str
    example: str
    notes: str = ""
    required: frozenset[str] = frozenset()
    """Flags that it needs and other commands do not."""


COMMANDS = (
    Command(
        "generate",
        "codegen.cli.generate:run",
        options.GenerateOptions,
        "write the generated files of every contract",
        "--contracts api/contracts --out src/acme --package acme --handlers acme_handlers",
    ),
    Command(
        "check",
        "codegen.cli.check:run",
        options.CheckOptions,
        "compare generated files and handlers with the contracts, and lint the contracts",
        "--against main",
    ),
    Command(
        "lint",
        "codegen.cli.lint:run",
        options.LintOptions,
        "find weaknesses in contracts that compile",
        "--fix",
        LINT_NOTES,
    ),
    Command(
        "breaking",
        "codegen.cli.breaking:run",
        options.BreakingOptions,
        "find changes of contracts that break callers, and the versions that they require",
        "--against main --format markdown",
        required=frozenset({"against"}),
    ),
    Command(
        "changelog",
        "codegen.cli.changelog:run",
        options.ChangelogOptions,
        "write a changelog entry for the changes of contracts",
        "--against v1.2.0 --into CHANGELOG.md",
        required=frozenset({"against"}),
    ),
    Command(
        "rules",
        "codegen.cli.rules:run",
        options.RulesOptions,
        "list every rule with its id, or explain one with an example",
        "BOUND_TIGHTENED",
    ),
    Command(
        "new server",
        "codegen.cli.new:add_server",
        options.NewServerOptions,
        "write a contract with one tool, and a module for its handlers",
        "tradestream/alerts",
    ),
    Command(
        "new tool",
        "codegen.cli.new:add_tool",
        options.NewToolOptions,
        "add a tool to a contract, and a stub to its handlers",
        "tradestream/alerts get_alerts",
    ),
)


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command with its options."""

    command: Command
    options: object

    def run(self) -> int:
        """Load the command's module, run it, and return its exit status.

        Modules are loaded on demand: together they take longer than a `check` without changes.
        """
        module, _, name = self.command.target.partition(":")
        return int(getattr(import_module(module), name)(self.options))


def parse(arguments: Sequence[str] | None) -> Invocation:
    """Parse command-line arguments, by default those of the process.

    Raises SystemExit for `--help` and for invalid arguments.
    """
    values = _build_parser().parse_args(arguments)
    return Invocation(values.command, _read_options(values.command.options, values))


def _build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog=program_name(),
        description="Compile JSON contracts into Pydantic models and MCP servers.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        if command.name == "new server":
            new = _add_parser(commands, "new", "start a server or a tool", "server tradestream/alerts")
            commands = new.add_subparsers(required=True, metavar="KIND")
        name = command.name.removeprefix("new ")
        added = _add_parser(commands, name, command.summary, command.example, command.notes)
        added.set_defaults(command=command)
        for each in {each.name: each for each in _list_arguments(command.options)}.values():
            _add_argument(added, each, is_required=each.name in command.required)
    return parser


def _add_parser(commands: Any, name: str, summary: str, example: str, notes: str = "") -> argparse.ArgumentParser:
    """Add a command, or a group of commands, whose `--help` ends with an example and notes."""
    added: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example:\n  %(prog)s{example and f' {example}'}\n{notes}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return added


def _list_arguments(record: type) -> Iterator[Field[Any]]:
    """Yield the fields of a record and of the records in it."""
    kinds = get_type_hints(record)
    for each in fields(record):
        yield from _list_arguments(kinds[each.name]) if is_dataclass(kinds[each.name]) else (each,)


def _add_argument(parser: argparse.ArgumentParser, argument: Field[Any], *, is_required: bool) -> None:
    """Add the argument of a field."""
    settings = dict(argument.metadata)
    if callable(settings.get("default")):
        settings["default"] = settings["default"]()
    if not settings.pop("flag", True):
        parser.add_argument(argument.name, **settings)
    else:
        parser.add_argument(f"--{argument.name}", required=is_required, **settings)


def _read_options(record: type, values: argparse.Namespace) -> object:
    """Make a record, and the records in it, of parsed values."""
    kinds = get_type_hints(record)
    return record(
        **{
            name: _read_options(kinds[name], values) if is_dataclass(kinds[name]) else getattr(values, name)
            for name in (each.name for each in fields(record))
        }
    )
