"""The commands `breaking` and `changelog`."""

from __future__ import annotations

import argparse

from codegen.breaking.baseline import NoUpstream, base
from codegen.breaking.changelog import changelog
from codegen.breaking.checker import Judgement, judged
from codegen.breaking.report import report
from codegen.breaking.rule import Profile
from codegen.reporting.colour import Paint, wants_colour
from codegen.reporting.formats import format_report
from codegen.reporting.sections import Section
from codegen.reporting.text import format_findings, format_summary
from codegen.snapshots import read_snapshot, require_valid

UNRELEASED = "## [Unreleased]"


def run_breaking(options: argparse.Namespace) -> int:
    """Judge, and print; 1 where something has to be mended or accepted."""
    judgement = judged_as(options)
    print(format_report(report(judgement), options.format, colour=wants_colour()))
    return 1 if judgement.fails else 0


def compared(options: argparse.Namespace, paint: Paint) -> Section:
    """What changed, as a part of a report; where nothing says what the contracts were, that."""
    try:
        judgement = judged_as(options)
    except NoUpstream as error:
        return Section(title="Changes", summary=str(error))
    said = report(judgement)
    return Section(
        title="Changes",
        summary=format_summary(said, paint),
        details=tuple(format_findings(said, paint)),
        fails=judgement.fails,
    )


def judged_as(options: argparse.Namespace) -> Judgement:
    """The judgement that the options ask for.

    Raises NoBase and ContractProblems.
    """
    new = require_valid(read_snapshot(options.contracts))
    return judged(base(options.contracts, options.against, new), new, Profile(options.profile), options.today)


def run_changelog(options: argparse.Namespace) -> int:
    """Print the entry, or write it below the heading of what is not released."""
    written = changelog(judged_as(options))
    if not options.into:
        print(written or f"nothing changed against {options.against}")
        return 0
    page = options.into.read_text(encoding="utf-8")
    if UNRELEASED not in page:
        raise OSError(f'{options.into} has no line "{UNRELEASED}" below which the entry could stand')
    options.into.write_text(page.replace(UNRELEASED, f"{UNRELEASED}\n\n{written.rstrip()}", 1), encoding="utf-8")
    print(f"wrote   {options.into}")
    return 0
