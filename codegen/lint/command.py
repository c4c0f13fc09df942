"""The command `lint`."""

from __future__ import annotations

import argparse
import sys

from codegen.lint.judgement import linted
from codegen.lint.report import report
from codegen.reports.formats import printed
from codegen.snapshots import of_folder, sound


def run_lint(options: argparse.Namespace) -> int:
    """Lint, mend if asked to, and print; 1 where something has to be mended or accepted."""
    lint = linted(sound(of_folder(options.contracts)), options.today)
    print(printed(report(lint), options.format, colour=sys.stdout.isatty()))
    return 1 if lint.fails else 0
