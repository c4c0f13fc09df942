"""Reports as workflow commands, which GitHub shows beside the lines of a change."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord_codegen.diagnostics import Position, escape_unprintable
from toolaccord_codegen.reporting.model import Report, ReportedFinding, Severity

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def format_github(report: Report) -> str:
    """Return one command per finding; an accepted finding is a notice."""
    return "\n".join(_commands(report))


def _commands(report: Report) -> Iterator[str]:
    """Yield the commands of a report."""
    for finding in report.findings:
        command = "notice" if finding.accepted else COMMANDS[finding.severity]
        yield _command(command, finding.position, finding.rule, _message(finding))
    for problem in report.problems:
        yield _command("error", problem.position, problem.rule, problem.sentence)


def _message(finding: ReportedFinding) -> str:
    """Return a finding in a few lines."""
    lines = [finding.full_message]
    if finding.witness:
        label, value = finding.witness
        lines.append(f"{label.capitalize()}: {value}")
    if finding.accepted:
        return "\n".join([*lines, f"Accepted: {finding.accepted.reason}"])
    advice = [finding.advice] if finding.advice else []
    return "\n".join([*lines, *advice, f"Fingerprint: {finding.fingerprint}"])


def _command(command: str, place: Position, title: str, message: str) -> str:
    """Return one workflow command."""
    properties = {"file": place.path, "line": place.line, "col": place.column, "title": title}
    arguments = ",".join(f"{key}={_escape(str(value), ',:')}" for key, value in properties.items())
    return f"::{command} {arguments}::{_escape(message)}"


def _escape(text: str, more: str = "") -> str:
    """Return text without characters that mean something to a workflow or a terminal."""
    return "".join(f"%{ord(char):02X}" if char in f"%\r\n{more}" else escape_unprintable(char) for char in text)
