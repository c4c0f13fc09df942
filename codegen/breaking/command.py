"""The commands `breaking` and `changelog`."""

from __future__ import annotations

import argparse
import sys

from codegen.breaking.changelog import changelog
from codegen.breaking.formats.data import data
from codegen.breaking.formats.github import github
from codegen.breaking.formats.markdown import markdown
from codegen.breaking.formats.sarif import sarif
from codegen.breaking.formats.text import text
from codegen.breaking.judgement import Judgement, judged
from codegen.breaking.rules import Profile
from codegen.breaking.snapshots import NoUpstream, base, of_folder, sound

FORMATS = {"json": data, "github": github, "sarif": sarif, "markdown": markdown}
UNRELEASED = "## [Unreleased]"


def run_breaking(options: argparse.Namespace) -> int:
    """Judge, and print; 1 where something has to be mended or accepted."""
    judgement = judged_as(options)
    print(shown(judgement, getattr(options, "format", "text")))
    return 1 if judgement.fails else 0


def compared(options: argparse.Namespace) -> int:
    """Print what changed, as a part of a report; 1 where something has to be mended or accepted."""
    print("\nWhat changed:")
    try:
        return run_breaking(options)
    except NoUpstream as error:
        print(error)
        return 0


def judged_as(options: argparse.Namespace) -> Judgement:
    """The judgement that the options ask for.

    Raises NoBase and ContractProblems.
    """
    new = sound(of_folder(options.contracts))
    return judged(base(options.contracts, options.against, new), new, Profile(options.profile))


def shown(judgement: Judgement, form: str) -> str:
    """A judgement in a format; colours only where a terminal reads."""
    return FORMATS[form](judgement) if form in FORMATS else text(judgement, colour=sys.stdout.isatty())


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
