"""The command `lint`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from codegen.diagnostics import escape_unprintable
from codegen.lint.linter import lint_snapshot
from codegen.lint.report import report
from codegen.reporting.colour import Paint, wants_colour
from codegen.reporting.formats import format_report
from codegen.reporting.sections import Section
from codegen.reporting.text import format_findings, format_summary
from codegen.snapshots import Snapshot, read_snapshot, require_valid


def run_lint(options: argparse.Namespace) -> int:
    """Lint, mend if asked to, and print; 1 where something has to be mended or accepted."""
    state = require_valid(read_snapshot(options.contracts))
    if options.fix:
        state = mend(state, options)
    lint = lint_snapshot(state, options.today)
    print(format_report(report(lint), options.format, colour=wants_colour()))
    return 1 if lint.fails else 0


def lint_section(options: argparse.Namespace, paint: Paint) -> Section:
    """What there is to mend or to accept, as a part of a report."""
    lint = lint_snapshot(require_valid(read_snapshot(options.contracts)), options.today)
    said = report(lint)
    details = [] if not lint.fails else format_findings(said, paint)
    return Section(title="Lint", summary=format_summary(said, paint), details=tuple(details), fails=lint.fails)


def mend(state: Snapshot, options: argparse.Namespace) -> Snapshot:
    """Write what mends findings, and say so: beside the report where that is for people, else on standard error."""
    from codegen.lint.fixes import fix_snapshot  # noqa: PLC0415 - imports the compiler, which only fixes need

    fixes = fix_snapshot(state, options.today)
    for name, content in fixes.changed_files(state).items():
        Path(options.contracts, name).write_bytes(content)
    for finding in fixes.findings:
        said = f"{finding.position}: fixed: {finding.issue.rule}: {escape_unprintable(finding.issue.message)}"
        print(said, file=sys.stdout if options.format == "text" else sys.stderr)
    return fixes.snapshot
