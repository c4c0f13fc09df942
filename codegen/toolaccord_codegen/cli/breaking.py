"""The command `breaking`, and the comparison that `check` and `changelog` share with it."""

from __future__ import annotations

import sys

from toolaccord_codegen.breaking.baseline import NoUpstream, read_base
from toolaccord_codegen.breaking.checker import CheckResult, check_changes
from toolaccord_codegen.breaking.report import build_report
from toolaccord_codegen.breaking.rule import Profile
from toolaccord_codegen.cli.options.comparison import BreakingOptions, ComparisonOptions
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.reporting.colour import TerminalStyle
from toolaccord_codegen.reporting.formats import format_report
from toolaccord_codegen.reporting.sections import Section
from toolaccord_codegen.reporting.text import build_section
from toolaccord_codegen.snapshots import read_snapshot, require_valid


def run(options: BreakingOptions) -> int:
    """Print the findings; return 1 where one has to be fixed or accepted."""
    if bool(options.servers) is bool(options.comparison.against):
        raise CommandError("give --against for contracts, or --servers for two MCP servers")
    result = _compare_servers(options) if options.servers else compare(options.comparison)
    print(format_report(build_report(result), options.format, TerminalStyle.of(sys.stdout)))
    return 1 if result.fails else 0


def _compare_servers(options: BreakingOptions) -> CheckResult:
    """Compare two servers, with a client that contracts do not need."""
    from toolaccord_codegen.cli.servers.comparison import compare_servers  # noqa: PLC0415 - loads the SDK

    return compare_servers(options)


def compare(options: ComparisonOptions) -> CheckResult:
    """Compare the contracts with an earlier state.

    Raises NoBase and ContractProblems.
    """
    new = require_valid(read_snapshot(options.contracts))
    base = read_base(options.contracts, options.against, new)
    return check_changes(base, new, Profile(options.profile), options.today)


def changes_section(options: ComparisonOptions, style: TerminalStyle) -> Section:
    """Return the changes as a section of a report.

    The section fails without an upstream to compare with.
    """
    try:
        result = compare(options)
    except NoUpstream as error:
        return Section(title="Changes", summary=str(error), fails=True)
    return build_section("Changes", build_report(result), style, fails=result.fails)
