"""The parts of one report about several things."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from codegen.reporting.colour import BOLD, GREEN, RED, Paint


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a report."""

    title: str
    summary: str
    """What came out, in a line."""
    details: tuple[str, ...] = ()
    """The lines below it."""
    fails: bool = False


def format_section(section: Section, paint: Paint) -> Iterator[str]:
    """A part as it is printed: in one line, or with details between empty ones below it."""
    verdict = paint("mend", RED) if section.fails else paint("ok", GREEN)
    yield f"{paint(section.title, BOLD)}: {verdict}: {section.summary}"
    if section.details:
        yield from ("", *section.details, "")
