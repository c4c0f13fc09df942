"""The command `lint`, and its section of `check`."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

from toolaccord_codegen.cli.options.lint import LintOptions
from toolaccord_codegen.diagnostics import escape_unprintable
from toolaccord_codegen.lint.linter import lint_snapshot
from toolaccord_codegen.lint.report import build_report
from toolaccord_codegen.reporting.colour import TerminalStyle
from toolaccord_codegen.reporting.formats import format_report
from toolaccord_codegen.reporting.sections import Section
from toolaccord_codegen.reporting.text import build_section
from toolaccord_codegen.snapshots import Snapshot, read_snapshot, require_valid


def run(options: LintOptions) -> int:
    """Lint, apply fixes with `--fix`, and print the report.

    Returns 1 where a finding has to be fixed or accepted.
    """
    state = require_valid(read_snapshot(options.contracts))
    if options.fix:
        state = _apply_fixes(state, options)
    lint = lint_snapshot(state, options.today)
    print(format_report(build_report(lint), options.format, TerminalStyle.of(sys.stdout)))
    return 1 if lint.fails else 0


def lint_section(contracts: Path, today: date, style: TerminalStyle) -> Section:
    """Return the findings as a section of a report."""
    lint = lint_snapshot(require_valid(read_snapshot(contracts)), today)
    return build_section("Lint", build_report(lint), style, fails=lint.fails)


def _apply_fixes(state: Snapshot, options: LintOptions) -> Snapshot:
    """Write the fixed contracts and return them.

    Fixes are printed with a report for people; with other formats they go to standard error.
    """
    from toolaccord_codegen.lint.fixes import fix_snapshot  # noqa: PLC0415 - it loads the compiler, which linting does not need

    fixes = fix_snapshot(state, options.today)
    for name, content in fixes.changed_files(state).items():
        Path(options.contracts, name).write_bytes(content)
    for finding in fixes.findings:
        issue = finding.issue
        line = f"{finding.position}: fixed: {issue.rule}: {escape_unprintable(issue.message)}"
        print(line, file=sys.stdout if options.format == "text" else sys.stderr)
    return fixes.snapshot
