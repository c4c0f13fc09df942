"""Formats of a report."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from codegen.reporting.model import Report
from codegen.reporting.text import text

PRINTERS = {
    "github": "codegen.reporting.github",
    "json_report": "codegen.reporting.json_report",
    "markdown": "codegen.reporting.markdown",
    "sarif": "codegen.reporting.sarif",
}
"""The module of each printer, a function of the same name; a command loads only the module that it needs."""


def printed(report: Report, form: str, *, colour: bool) -> str:
    """Return a report in a format; text may have colours."""
    if form == "text":
        return text(report, colour=colour)
    name = "json_report" if form == "json" else form
    printer: Callable[[Report], str] = getattr(import_module(PRINTERS[name]), name)
    return printer(report)
