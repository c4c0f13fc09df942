"""Formats of a report."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from codegen.reporting.model import Report
from codegen.reporting.text import format_text

MACHINE_FORMATS = {
    "json": "codegen.reporting.json_report:format_json",
    "github": "codegen.reporting.github:format_github",
    "sarif": "codegen.reporting.sarif:format_sarif",
    "markdown": "codegen.reporting.markdown:format_markdown",
}
"""The function of each format but text; a command loads only the module that it needs."""
FORMATS = ("text", *MACHINE_FORMATS)
"""Every format of a report."""


def format_report(report: Report, form: str, *, colour: bool) -> str:
    """Return a report in one of FORMATS; text may have colours."""
    if form == "text":
        return format_text(report, colour=colour)
    module, _, name = MACHINE_FORMATS[form].partition(":")
    formatter: Callable[[Report], str] = getattr(import_module(module), name)
    return formatter(report)
