"""Reports of contracts that do not compile, and so are not judged, in every format."""

from __future__ import annotations

from collections.abc import Sequence

from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.reporting.colour import TerminalStyle
from toolaccord_codegen.reporting.compiler_text import format_problems
from toolaccord_codegen.reporting.formats import format_report


def format_refusal(command: str, problems: Sequence[Problem], form: str, style: TerminalStyle) -> str:
    """Return the reasons for which a command refused contracts, in one of FORMATTERS."""
    if form == "text":
        return format_problems(problems, style)
    from toolaccord_codegen.reporting.model import Report  # noqa: PLC0415 - most commands report as text

    report = Report(
        command=command,
        title="Contracts refused",
        empty_message="These contracts do not compile, so nothing else is reported.",
        summary=(),
        headings={},
        findings=(),
        problems=tuple(problems),
        json_facts={"refused": True},
    )
    return format_report(report, form, style)
