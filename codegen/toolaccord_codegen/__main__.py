"""The program: `toolaccord` or `python -m toolaccord_codegen`, followed by a command."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from toolaccord_codegen.cli.options.arguments import program_name
from toolaccord_codegen.cli.parser import Invocation, parse
from toolaccord_codegen.diagnostics import CommandError, ContractProblems, escape_lines
from toolaccord_codegen.reporting.colour import TerminalStyle
from toolaccord_codegen.reporting.refusal import format_refusal

REFUSED = 3
"""The exit status for contracts that do not compile, and so are not judged."""
INTERRUPTED = 130
"""The exit status after Ctrl-C, as of a shell."""
UNREAD = 141
"""The exit status where the reader of a pipe ended first, as of a shell."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, by default that of the process.

    Returns 0 without findings, 1 with findings, 2 for a command that could not run, 3 for contracts that are refused,
    130 after Ctrl-C, and 141 where nobody reads on, as `head` does.
    """
    if arguments is None:
        gc.disable()  # The process ends within seconds; collecting its garbage takes a tenth of that time.
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # names of files need not be text
    try:
        status = _run(parse(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the rest has no reader
        return UNREAD
    except (CommandError, OSError, SyntaxError) as error:
        text = escape_lines(f"{program_name().split()[-1]}: {_describe(error)}")
        print(TerminalStyle.of(sys.stderr).wrap(text), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _describe(error: Exception) -> str:
    """Return an error as a person reads it: the file first, and no number."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _run(invocation: Invocation) -> int:
    """Run a command; print why contracts are refused, in the format that the command has."""
    try:
        return invocation.run()
    except ContractProblems as error:
        form = getattr(invocation.options, "format", "text")
        print(format_refusal(invocation.command.name, error.problems, form, TerminalStyle.of(sys.stdout)))
        return REFUSED


if __name__ == "__main__":
    raise SystemExit(main())
