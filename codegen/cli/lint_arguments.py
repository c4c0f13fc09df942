"""What the command `lint` understands; the rules are loaded when it is run."""

from __future__ import annotations

import argparse
from datetime import UTC, date, datetime

from codegen.cli.options import Commands, add_contracts, add_format

EPILOG = """Each finding is one line, file:line:column: RULE: what is wrong and how to mend it, then the place, and why the rule
is there. A finding that is meant is accepted in <server>.accepted.json beside the contract, with its rule and
fingerprint, a reason and the date. docs/lint.md explains every rule; `python -m codegen rules` lists them.

exit status: 0 nothing to mend, 1 findings that are not accepted, 2 called wrongly

examples:
  python -m codegen lint
  python -m codegen lint --fix
  python -m codegen lint --format github
  python -m codegen lint --contracts api/contracts --today 2027-01-01
"""


def add_lint(commands: Commands) -> None:
    """The command that lints."""
    does = "say what contracts are better without, though the compiler would take it"
    command = commands.add_parser(
        "lint",
        help=does,
        description=f"{does.capitalize()}.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_contracts(command)
    add_format(command)
    command.add_argument(
        "--fix", action="store_true", help="mend what needs no thought, and leave every other byte as it is"
    )
    add_today(command)
    command.set_defaults(run="codegen.cli.lint:run_lint")


def add_today(command: argparse.ArgumentParser) -> None:
    """The day that dates are held against."""
    command.add_argument(
        "--today",
        type=day,
        default=datetime.now(UTC).date(),
        metavar="YYYY-MM-DD",
        help="the day to judge dates by; default: today, in UTC",
    )


def day(text: str) -> date:
    """A day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f'"{text}" is no day, e.g. 2027-01-31') from None
