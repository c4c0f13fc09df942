"""Sections of one report about several checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toolaccord_codegen.reporting.colour import BOLD, GREEN, RED, Paint


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section of a report."""

    title: str
    summary: str
    """The result in one line."""
    details: tuple[str, ...] = ()
    """The lines below the summary."""
    fails: bool = False


def format_section(section: Section, paint: Paint) -> Iterator[str]:
    """Yield the lines of a section; details have an empty line before and after."""
    verdict = paint("failed", RED) if section.fails else paint("ok", GREEN)
    yield f"{paint(section.title, BOLD)}: {verdict}: {section.summary}"
    if section.details:
        yield from ("", *section.details, "")
