"""The command `changelog`."""

from __future__ import annotations

from toolaccord_codegen.breaking.changelog import format_changelog
from toolaccord_codegen.cli.breaking import compare
from toolaccord_codegen.cli.options.comparison import ChangelogOptions
from toolaccord_codegen.cli.start.new_files import write_file
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.loading.regular_files import read_utf8

UNRELEASED = "## [Unreleased]"


def run(options: ChangelogOptions) -> int:
    """Print the entry, or write it below the heading of unreleased changes.

    A page that does not exist is started. Raises CommandError for one without that heading.
    """
    entry = format_changelog(compare(options.comparison))
    if not options.into:
        print(entry or f"nothing changed against {options.comparison.against}")
        return 0
    page = read_utf8(options.into) if options.into.exists() else f"# Changelog\n\n{UNRELEASED}\n"
    if UNRELEASED not in page:
        raise CommandError(f'{options.into} has no line "{UNRELEASED}"; add it where the entry belongs')
    if entry.strip() in page:
        print(f"kept    {options.into}: it has the entry")
        return 0
    write_file(options.into, page.replace(UNRELEASED, f"{UNRELEASED}\n\n{entry.rstrip()}", 1))
    return 0
