"""A judgement as Markdown, for a comment on a change."""

from __future__ import annotations

import json
from collections.abc import Iterator

from codegen.breaking.findings import Finding
from codegen.breaking.judgement import Judgement
from codegen.breaking.rules import Bump, Level
from codegen.breaking.versions import shown

TITLES = {Level.BREAKING: "Breaking", Level.WARNING: "Worth a look", Level.INFO: "Harmless"}
LONGEST = 160


def markdown(judgement: Judgement) -> str:
    """The judgement as a page."""
    return "\n".join(page(judgement))


def page(judgement: Judgement) -> Iterator[str]:
    """The lines of the page."""
    yield f"## Contracts against {code(judgement.against)}"
    if not judgement.findings:
        yield from ("", "Nothing changed.")
    for level in Level:
        found = [finding for finding in judgement.findings if finding.level is level]
        if found:
            yield from ("", f"### {TITLES[level]}", "", "| where | what | shown by | rule |", "|---|---|---|---|")
            yield from map(row, found)
    wanted = [growth for growth in judgement.growths if growth.needs is not Bump.NONE and growth.after < growth.least]
    if wanted:
        yield from ("", "### Versions", "")
    for growth in wanted:
        was, least = shown(growth.before), shown(growth.least)
        yield f"- {code(growth.tool or growth.contract)} needs {growth.needs}: {was} → {least}"
    for problem in judgement.problems:
        yield from ("", f"{code(problem.place)}: {cell(problem.sentence)}")


def row(finding: Finding) -> str:
    """A finding as a row of a table."""
    value = json.dumps(finding.witness.value, ensure_ascii=False) if finding.witness else ""
    witness = code(value if len(value) <= LONGEST else f"{value[:LONGEST]}...") if value else ""
    rule = f"{code(finding.rule.id)} {code(finding.fingerprint)}"
    accepted = f", accepted: {cell(finding.accepted.reason)}" if finding.accepted else ""
    return f"| {code(str(finding.place))} | {code(finding.whose)}: {cell(finding.message)} | {witness} | {rule}{accepted} |"


def cell(text: str) -> str:
    """Text in a cell, in which nothing is markup."""
    plain = " ".join(text.split())
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>#|~&!" else char for char in plain)


def code(text: str) -> str:
    """Text as code, in a cell."""
    plain = " ".join(text.split()).replace("|", "\\|")
    fence = "``" if "`" in plain else "`"
    pad = " " if "`" in plain else ""
    return f"{fence}{pad}{plain}{pad}{fence}"
