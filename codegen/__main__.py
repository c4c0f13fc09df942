"""The command: `python -m codegen generate | check | new`."""

from __future__ import annotations

import argparse
import gc
import keyword
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from codegen.cli.breaking_arguments import add_comparison, add_judges
from codegen.cli.lint_arguments import add_lint, add_today
from codegen.cli.options import HANDLERS, OWN_PACKAGE, add_contracts
from codegen.diagnostics import CommandError, ContractProblems
from codegen.ir.layout import NAMESPACE
from codegen.reporting.colour import wants_colour
from codegen.reporting.compiler_text import format_problems

EXAMPLES = """examples:
  python -m codegen generate
  python -m codegen check --against main
  python -m codegen lint --fix
  python -m codegen breaking --against main --format markdown
  python -m codegen generate --contracts api/contracts --out src/acme --package acme --handlers acme_handlers
  python -m codegen new server tradestream/alerts
  python -m codegen new tool tradestream/alerts get_alerts
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0 when all is well, 1 where there are findings, 2 where the call is wrong."""
    options = parser().parse_args(arguments)
    # Each command is loaded when it is asked for: all of them take longer than `check` where nothing changed.
    module, _, name = options.run.partition(":")
    try:
        return int(getattr(import_module(module), name)(options))
    except ContractProblems as error:
        print(format_problems(error.problems, colour=wants_colour()))
        return 1
    except (CommandError, OSError, SyntaxError) as error:
        print(f"codegen: {error}", file=sys.stderr)
        return 2


def parser() -> argparse.ArgumentParser:
    """What the command understands."""
    top = argparse.ArgumentParser(
        prog="python -m codegen",
        description="Compile JSON contracts into Pydantic models and MCP servers.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for name, text, run in (
        ("generate", "write what the contracts ask for", "codegen.cli.generate:generate"),
        (
            "check",
            "say whether the generated files and the handlers are what the contracts ask for, and lint and compare these",
            "codegen.cli.check:check",
        ),
    ):
        command = commands.add_parser(name, help=text, description=f"{text.capitalize()}.")
        add_layout(command)
        command.add_argument("--sandbox", metavar="MODULE", help="the module that --sandbox of a server asks for data")
        add_publication(command)
        command.set_defaults(run=run)
        if name == "check":
            add_comparison(command, required=False)
            add_today(command)
    add_lint(commands)
    add_judges(commands)
    does = "list every rule with its id"
    rules = commands.add_parser("rules", help=does, description=f"{does.capitalize()}.")
    rules.set_defaults(run="codegen.cli.rules:run_rules")
    new = commands.add_parser("new", help="begin a server or a tool", description="Begin a server or a tool.")
    kinds = new.add_subparsers(required=True, metavar="KIND")
    server = kinds.add_parser("server", help="a contract with one tool, and its handlers' module")
    server.set_defaults(run="codegen.cli.new:run_server")
    tool = kinds.add_parser("tool", help="one more tool in a contract, and the stub of its handler")
    tool.set_defaults(run="codegen.cli.new:run_tool")
    for command in (server, tool):
        command.add_argument("server", metavar="SYSTEM/NAME", type=server_path, help="e.g. tradestream/strategy")
        add_layout(command)
    tool.add_argument("name", metavar="TOOL", help="the name that models call, e.g. get_alerts")
    return top


def add_layout(command: argparse.ArgumentParser) -> None:
    """The options that make the command work on other people's folders."""
    add_contracts(command)
    command.add_argument("--out", type=Path, metavar="DIR", help="where the package is written; default: its name")
    command.add_argument(
        "--package",
        type=package,
        default=OWN_PACKAGE,
        metavar="NAME",
        help=f"the import name of the generated package; default: {OWN_PACKAGE}",
    )
    command.add_argument(
        "--handlers",
        type=package,
        default=HANDLERS,
        metavar="PACKAGE",
        help="the import name of the handlers, which lie beside the output; default: handlers",
    )


def add_publication(command: argparse.ArgumentParser) -> None:
    """The options that say where the servers are published."""
    command.add_argument(
        "--namespace",
        type=namespace,
        default=NAMESPACE,
        metavar="NAME",
        help=f"your reverse-DNS name in the MCP registry, e.g. io.github.acme; default: {NAMESPACE}, which is nobody's",
    )
    command.add_argument(
        "--images", metavar="PREFIX", help="what stands before a server's name in its image's, e.g. images.example/acme"
    )


def namespace(text: str) -> str:
    """A reverse-DNS name."""
    if not re.fullmatch(r"[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+", text):
        raise argparse.ArgumentTypeError(f'"{text}" is no reverse-DNS name, e.g. io.github.acme')
    return text


def package(text: str) -> str:
    """The import name of a package."""
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in text.split(".")):
        raise argparse.ArgumentTypeError(f'"{text}" is no name that Python can import')
    return text


def server_path(text: str) -> tuple[str, str]:
    """A server as SYSTEM/NAME."""
    system, slash, name = text.partition("/")
    if not (system and slash and name) or "/" in name:
        raise argparse.ArgumentTypeError(f'"{text}" is not SYSTEM/NAME, e.g. tradestream/strategy')
    return system, name


if __name__ == "__main__":
    gc.disable()  # A process that ends after a second leaves little behind, and looking for it takes a tenth of that.
    raise SystemExit(main())
