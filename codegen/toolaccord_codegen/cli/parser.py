"""The parser of the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import Field, dataclass, fields
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Any, NoReturn, get_type_hints

from toolaccord.semantics.releases import VERSION
from toolaccord_codegen.cli.commands import COMMANDS, KINDS, Command
from toolaccord_codegen.cli.options.arguments import Project, list_arguments, program_name
from toolaccord_codegen.cli.project_file import read_project
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.reporting.colour import TerminalStyle

EXAMPLES = """examples:
  %(prog)s init acme/books
  %(prog)s dev acme/books
  %(prog)s check --against main
  %(prog)s lint --fix
  %(prog)s breaking --against main --format markdown
  %(prog)s new server acme/films
  %(prog)s new tool acme/films find_films

exit status: 0 no findings, 1 findings, 2 the command could not run,
             3 the contracts do not compile
"""


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

    Raises SystemExit for `--help` and for invalid arguments, CommandError for an unknown command and for an invalid
    [tool.toolaccord].
    """
    words = sys.argv[1:] if arguments is None else arguments
    parser = _build_parser(words[0] if words else "")
    if not words:
        parser.exit(2, parser.format_help())
    _check_command(words)
    values, rest = parser.parse_known_args(words)
    command: Command = values.chosen
    if "arguments" in values and not any(each.startswith("-") for each in rest):
        values.arguments += rest  # argparse takes no list with a flag inside
    elif rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return Invocation(command, _read_options(command.options, values, read_project(list_project_keys())))


def _check_command(words: Sequence[str]) -> None:
    """Raise CommandError unless the first words are a command, or begin one, or are flags."""
    names = [command.name for commands in COMMANDS.values() for command in commands]
    length = 2 if words[0] in KINDS and len(words) > 1 else 1
    given = " ".join(words[:length])
    known = {" ".join(name.split()[:length]) for name in names}
    if given in known or words[length - 1].startswith("-"):
        return
    close = get_close_matches(given, sorted(known), 1)
    hint = f'did you mean "{close[0]}"?' if close else f"`{program_name()} --help` lists them"
    raise CommandError(f'there is no command "{given}"; {hint}')


def list_project_keys() -> dict[str, Field[Any]]:
    """Return the fields of all commands that are keys of [tool.toolaccord], by name."""
    records = [command.options for commands in COMMANDS.values() for command in commands]
    arguments = [each for record in records for each in list_arguments(record)]
    return {each.name: each for each in arguments if "project_key" in each.metadata}


class _Parser(argparse.ArgumentParser):
    """A parser whose errors fit the terminal."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and the error, and exit with 2."""
        self.exit(2, f"{self.format_usage()}{TerminalStyle.of(sys.stderr).wrap(f'{self.prog}: error: {message}')}\n")


class _Version(argparse.Action):
    """The flag that prints the installed version."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print the version, and exit with 0."""
        print(f"toolaccord {VERSION}")
        parser.exit()


def _build_parser(first: str) -> argparse.ArgumentParser:
    """Return the parser of the commands that begin with *first*, or of all where none does."""
    commands = [command for commands in COMMANDS.values() for command in commands]
    named = [command for command in commands if command.name.split()[0] == first]
    parser = _Parser(
        prog=program_name(),
        usage="%(prog)s [-h] COMMAND ...",
        description=f"Compile JSON contracts into Pydantic models and MCP servers.\n\n{_list_commands()}",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    kinds: dict[str, Any] = {
        "": parser.add_subparsers(prog=program_name(), required=True, metavar="COMMAND", help=argparse.SUPPRESS)
    }
    for command in named or commands:
        kind, _, name = command.name.rpartition(" ")
        if kind not in kinds:
            group = _add_parser(kinds[""], kind, *KINDS[kind])
            kinds[kind] = group.add_subparsers(required=True, metavar="KIND")
        added = _add_parser(kinds[kind], name, command.summary, command.example, command.notes)
        added.set_defaults(chosen=command)
        for each in {each.name: each for each in list_arguments(command.options)}.values():
            _add_argument(added, each, is_required=each.name in command.required)
    return parser


def _list_commands() -> str:
    """Return the names and summaries of all commands, below the titles of their groups."""
    lines: list[str] = []
    column = max(len(command.name) for commands in COMMANDS.values() for command in commands)
    for title, commands in COMMANDS.items():
        lines += ["", f"{title}:"]
        lines += [_wrap(f"  {command.name:<{column}}  {command.summary}", column + 4) for command in commands]
    return "\n".join(lines[1:])


def _wrap(text: str, indent: int = 0) -> str:
    """Return a text with its lines as wide as the terminal; further lines of each are indented."""
    width = get_terminal_size().columns - 2  # as argparse
    return "\n".join(fill(line, width, subsequent_indent=" " * indent) for line in text.split("\n"))


def _add_parser(commands: Any, name: str, summary: str, example: str, notes: str = "") -> argparse.ArgumentParser:
    """Add a command, or a group of commands, whose `--help` ends with an example and notes."""
    added: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=_wrap(f"{summary[0].upper()}{summary[1:]}."),
        epilog=f"example:\n  %(prog)s{example and f' {example}'}\n{_wrap(notes)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return added


def _add_argument(parser: argparse.ArgumentParser, argument: Field[Any], *, is_required: bool) -> None:
    """Add the argument of a field; a project's file has defaults of some."""
    settings = dict(argument.metadata)
    if (kind := settings.pop("project_key", None)) == "key":
        return
    if kind:
        settings["default"] = None
    elif callable(settings.get("default")):
        settings["default"] = settings["default"]()
    if not settings.pop("flag", True):
        added = parser.add_argument(argument.name, **settings)
        added.required = added.required and added.nargs != argparse.REMAINDER
    else:
        short = [f"-{settings.pop('short')}"] if "short" in settings else []
        parser.add_argument(*short, f"--{argument.name.replace('_', '-')}", required=is_required, **settings)


def _read_options(record: type, values: argparse.Namespace, project: Project) -> object:
    """Make a record, and the records in it, of parsed values and the project's settings."""
    kinds, read = get_type_hints(record), dict[str, object]()
    for each in fields(record):
        if kinds[each.name] is Project:
            read[each.name] = project
        elif not each.metadata:
            read[each.name] = _read_options(kinds[each.name], values, project)
        else:
            given = getattr(values, each.name, None)
            is_key = "project_key" in each.metadata and given is None
            read[each.name] = _default(each, project) if is_key else given
    return record(**read)


def _default(key: Field[Any], project: Project) -> object:
    """Return the value of a project's key; without it the default of its flag."""
    default = key.metadata.get("default")
    if isinstance(default, Path):
        default = project.folder / default
    return project.settings.get(key.name, default)
