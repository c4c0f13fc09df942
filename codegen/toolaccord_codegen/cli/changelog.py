"""The command `changelog`."""

from __future__ import annotations

from toolaccord_codegen.breaking.changelog import format_changelog
from toolaccord_codegen.cli.breaking import compare
from toolaccord_codegen.cli.options.comparison import ChangelogOptions
from toolaccord_codegen.diagnostics import CommandError
from toolaccord_codegen.loading.text_files import read_utf8

UNRELEASED = "## [Unreleased]"


def run(options: ChangelogOptions) -> int:
    """Print the entry, or write it below the heading of unreleased changes.

    Raises CommandError for a page that is missing or lacks that heading.
    """
    entry = format_changelog(compare(options.comparison))
    if not options.into:
        print(entry or f"nothing changed against {options.comparison.against}")
        return 0
    if not options.into.exists():
        raise CommandError(f'{options.into} does not exist; start it with a line "{UNRELEASED}"')
    page = read_utf8(options.into)
    if UNRELEASED not in page:
        raise CommandError(f'{options.into} has no line "{UNRELEASED}"; add it where the entry belongs')
    options.into.write_bytes(page.replace(UNRELEASED, f"{UNRELEASED}\n\n{entry.rstrip()}", 1).encode())
    print(f"wrote   {options.into}")
    return 0
