"""The formats in which a report can be had."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from codegen.reporting.model import Report
from codegen.reporting.text import text

MODULES = {"json": "data"}
"""Modules that are not called like their format."""


def printed(report: Report, form: str, *, colour: bool) -> str:
    """A report in a format; text may have colours."""
    if form == "text":
        return text(report, colour=colour)
    name = MODULES.get(form, form)
    printer: Callable[[Report], str] = getattr(import_module(f"codegen.reporting.{name}"), name)
    return printer(report)
