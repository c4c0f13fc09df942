"""Sections of one report about several checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toolaccord_codegen.reporting.colour import BOLD, GREEN, RED, TerminalStyle


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section of a report."""

    title: str
    summary: str
    """The result in one line."""
    details: tuple[str, ...] = ()
    """The lines below the summary."""
    fails: bool = False


def format_section(section: Section, style: TerminalStyle) -> Iterator[str]:
    """Yield the lines of a section; details have an empty line before and after."""
    verdict = style("failed", RED) if section.fails else style("ok", GREEN)
    yield f"{style(section.title, BOLD)}: {verdict}: {section.summary}"
    if section.details:
        yield from ("", *section.details, "")
