"""The command `lint`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from codegen.diagnostics import visible
from codegen.lint.linter import linted
from codegen.lint.report import report
from codegen.reporting.colour import Paint, wanted
from codegen.reporting.formats import printed
from codegen.reporting.sections import Section
from codegen.reporting.text import body, summary
from codegen.snapshots import Snapshot, of_folder, sound


def run_lint(options: argparse.Namespace) -> int:
    """Lint, mend if asked to, and print; 1 where something has to be mended or accepted."""
    state = sound(of_folder(options.contracts))
    if options.fix:
        state = mend(state, options)
    lint = linted(state, options.today)
    print(printed(report(lint), options.format, colour=wanted()))
    return 1 if lint.fails else 0


def lint_section(options: argparse.Namespace, paint: Paint) -> Section:
    """What there is to mend or to accept, as a part of a report."""
    lint = linted(sound(of_folder(options.contracts)), options.today)
    said = report(lint)
    details = [] if not lint.fails else body(said, paint)
    return Section(title="Lint", summary=summary(said, paint), details=tuple(details), fails=lint.fails)


def mend(state: Snapshot, options: argparse.Namespace) -> Snapshot:
    """Write what mends findings, and say so: beside the report where that is for people, else on standard error."""
    from codegen.lint.fixes import mended  # noqa: PLC0415 - it loads the compiler, which linting needs not

    mending = mended(state, options.today)
    for name, content in mending.changed(state).items():
        Path(options.contracts, name).write_bytes(content)
    for finding in mending.findings:
        said = f"{finding.position}: mended: {finding.complaint.rule}: {visible(finding.complaint.sentence)}"
        print(said, file=sys.stdout if options.format == "text" else sys.stderr)
    return mending.state
