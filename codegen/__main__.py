"""The command: `python -m codegen generate | check | new`."""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from codegen.breaking.command import add_comparison, add_judges, compared
from codegen.breaking.snapshots import NoBase
from codegen.compile import Contracts, compiled
from codegen.documents import shown_path
from codegen.handlers import handler_faults
from codegen.invocation import (
    HANDLERS,
    OWN_IMAGES,
    OWN_PACKAGE,
    OWN_SANDBOX,
    add_contracts,
    command,
    is_own,
    output,
    regenerate,
)
from codegen.layout import NAMESPACE, Layout
from codegen.problems import ContractProblems, Problem
from codegen.rule_list import add_rules
from codegen.scaffold import Refused, console_script, new_server, new_tool
from codegen.tree import Foreign, drifts, with_manifest, write

EXAMPLES = """examples:
  python -m codegen generate
  python -m codegen check --against main
  python -m codegen breaking --against main --format markdown
  python -m codegen generate --contracts api/contracts --out src/acme --package acme --handlers acme_handlers
  python -m codegen new server tradestream/alerts
  python -m codegen new tool tradestream/alerts get_alerts
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0 when all is well, 1 where there are findings, 2 where the call is wrong."""
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except ContractProblems as error:
        report(error.problems)
        return 1
    except (Foreign, NoBase, Refused, OSError, SyntaxError) as error:
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
    for name, run, text in (
        ("generate", generate, "write what the contracts ask for"),
        ("check", check, "say whether the generated files and the handlers are what the contracts ask for"),
    ):
        command = commands.add_parser(name, help=text, description=f"{text.capitalize()}.")
        add_layout(command)
        command.add_argument("--sandbox", metavar="MODULE", help="the module that --sandbox of a server asks for data")
        add_publication(command)
        command.set_defaults(run=run)
        if name == "check":
            add_comparison(command, required=False)
    add_judges(commands)
    add_rules(commands)
    new = commands.add_parser("new", help="begin a server or a tool", description="Begin a server or a tool.")
    kinds = new.add_subparsers(required=True, metavar="KIND")
    server = kinds.add_parser("server", help="a contract with one tool, and its handlers' module")
    server.set_defaults(run=scaffold_server)
    tool = kinds.add_parser("tool", help="one more tool in a contract, and the stub of its handler")
    tool.set_defaults(run=scaffold_tool)
    for command in (server, tool):
        command.add_argument("server", metavar="SYSTEM/NAME", type=room, help="e.g. tradestream/strategy")
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
        "--images", metavar="PREFIX", help="what stands before a server's name in its image's, e.g. ghcr.io/acme"
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


def room(text: str) -> tuple[str, str]:
    """A server as SYSTEM/NAME."""
    system, slash, name = text.partition("/")
    if not (system and slash and name) or "/" in name:
        raise argparse.ArgumentTypeError(f'"{text}" is not SYSTEM/NAME, e.g. tradestream/strategy')
    return system, name


def generate(options: argparse.Namespace) -> int:
    """Write the tree; say what changed."""
    contracts = compiled(options.contracts)
    out = output(options)
    written, removed = write(out, tree(contracts, options))
    for path in written:
        print(f"wrote   {shown_path(out / path)}")
    for path in removed:
        print(f"removed {shown_path(out / path)}")
    tools = sum(len(contract.tools) for contract in contracts.contracts)
    state = "" if written or removed else "; nothing had changed"
    print(f"{counted(len(contracts.contracts), 'server')} with {counted(tools, 'tool')} in {shown_path(out)}{state}")
    return 0


def check(options: argparse.Namespace) -> int:
    """Compare the tree with the folder, the handlers with the contracts, and these with what they were, if asked to."""
    contracts = compiled(options.contracts)
    out = output(options)
    found = list(drifts(out, tree(contracts, options)))
    for drift in found:
        print(f"{shown_path(out / drift.path)}: {drift.reason}")
        if drift.diff:
            print(drift.diff)
    faults = [
        fault
        for contract in contracts.contracts
        for fault in handler_faults(contract, options.handlers, [surroundings(options), Path.cwd()])
    ]
    report(sorted(set(faults)))
    if found:
        print(f"{counted(len(found), 'file')} not as the contracts ask; write with: {command(options)}")
    if not found and not faults:
        print(f"{shown_path(out)} and its handlers are what {shown_path(options.contracts)} asks for")
    broken = compared(options) if options.against else 0
    return 1 if found or faults else broken


def tree(contracts: Contracts, options: argparse.Namespace) -> dict[str, str]:
    """Every file of the output folder."""
    # Templates and models take half a second to load, which faulty contracts need not wait for.
    from codegen.render import rendered  # noqa: PLC0415

    layout = Layout(
        package=options.package,
        handlers=options.handlers,
        sandbox=options.sandbox or (OWN_SANDBOX if options.package == OWN_PACKAGE else None),
        contracts=options.contracts.resolve().name,
        command=regenerate(options),
        namespace=options.namespace,
        images=options.images or (OWN_IMAGES if is_own(options) else None),
    )
    return with_manifest(rendered(contracts, layout), [*contracts.documents, *contracts.protocols], layout.contracts)


def scaffold_server(options: argparse.Namespace) -> int:
    """Begin a server."""
    system, name = options.server
    done = made(new_server(options.contracts, handlers_folder(options), system, name, options.package))
    print(f"To start it by its name, add to [project.scripts]: {console_script(options.package, system, name)}")
    return done


def scaffold_tool(options: argparse.Namespace) -> int:
    """Begin a tool."""
    system, name = options.server
    folder = handlers_folder(options)
    return made(new_tool(options.contracts, folder, system, name, options.name, options.package))


def handlers_folder(options: argparse.Namespace) -> Path:
    """Where the handlers lie: beside the output folder."""
    return surroundings(options).joinpath(*options.handlers.split("."))


def surroundings(options: argparse.Namespace) -> Path:
    """The folder that the package is imported from."""
    levels: int = options.package.count(".")
    return output(options).absolute().parents[levels]


def made(paths: list[Path]) -> int:
    """Say what was made, and what comes next."""
    for path in paths:
        print(f"wrote   {shown_path(path)}")
    print("Next: edit the contract, then `python -m codegen generate`, then write the handler.")
    return 0


def report(problems: Sequence[Problem]) -> None:
    """Print findings, a line each."""
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} problem(s)")


def counted(number: int, noun: str) -> str:
    """So many things."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


if __name__ == "__main__":
    raise SystemExit(main())
