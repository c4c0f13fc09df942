"""The program: `toolpact` or `python -m codegen`, followed by a command."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from codegen.cli.options import program_name
from codegen.cli.parser import parse
from codegen.diagnostics import CommandError, ContractProblems
from codegen.reporting.colour import wants_colour
from codegen.reporting.compiler_text import format_problems


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, by default that of the process.

    Returns 0 without findings, 1 with findings, 2 for a command that could not run.
    """
    if arguments is None:
        gc.disable()  # The process ends within seconds; collecting its garbage takes a tenth of that time.
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # names of files need not be text
    try:
        return parse(arguments).run()
    except ContractProblems as error:
        print(format_problems(error.problems, colour=wants_colour()))
        return 1
    except (CommandError, OSError, SyntaxError) as error:
        print(f"{program_name().split()[-1]}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    raise SystemExit(main())
