"""Formats of a report."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the command line needs the names of formats only
    from toolaccord_codegen.reporting.colour import TerminalStyle
    from toolaccord_codegen.reporting.model import Report

FORMATTERS = {
    "text": "toolaccord_codegen.reporting.text:format_text",
    "json": "toolaccord_codegen.reporting.json_report:format_json",
    "github": "toolaccord_codegen.reporting.github:format_github",
    "sarif": "toolaccord_codegen.reporting.sarif:format_sarif",
    "markdown": "toolaccord_codegen.reporting.markdown:format_markdown",
}
"""The function of each format; a command loads only the module that it needs."""


def format_report(report: Report, form: str, style: TerminalStyle) -> str:
    """Return a report in one of FORMATTERS; text has the terminal's colours and columns."""
    module, _, name = FORMATTERS[form].partition(":")
    formatter = getattr(import_module(module), name)
    return str(formatter(report, style) if form == "text" else formatter(report))
