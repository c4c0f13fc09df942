"""A report as workflow commands, which GitHub shows beside the lines of a change."""

from __future__ import annotations

from collections.abc import Iterator

from codegen.loading.schema_nodes import Position
from codegen.reporting.model import Grade, Remark, Report

COMMANDS = {Grade.ERROR: "error", Grade.WARNING: "warning", Grade.NOTE: "notice"}


def github(report: Report) -> str:
    """A command a finding; one that is accepted is a notice."""
    return "\n".join(commands(report))


def commands(report: Report) -> Iterator[str]:
    """The commands."""
    for remark in report.remarks:
        command = "notice" if remark.accepted else COMMANDS[remark.grade]
        yield annotation(command, remark.position, remark.rule, sentences(remark))
    for problem in report.problems:
        place = Position(problem.path, problem.line, problem.column)
        yield annotation("error", place, problem.rule, problem.sentence)


def sentences(remark: Remark) -> str:
    """A finding in a few lines."""
    lines = [remark.sentence]
    if remark.shown_by:
        said, value = remark.shown_by
        lines.append(f"{said.capitalize()}: {value}")
    if remark.accepted:
        return "\n".join([*lines, f"Accepted: {remark.accepted.reason}"])
    return "\n".join([*lines, remark.cure, f"Fingerprint: {remark.fingerprint}"])


def annotation(command: str, place: Position, title: str, message: str) -> str:
    """One workflow command."""
    properties = {"file": place.path, "line": place.line, "col": place.column, "title": title}
    said = ",".join(f"{key}={escaped(str(value), ',:')}" for key, value in properties.items())
    return f"::{command} {said}::{escaped(message)}"


def escaped(text: str, more: str = "") -> str:
    """Text with whatever a command would read as its own written otherwise."""
    return "".join(f"%{ord(char):02X}" if char in f"%\r\n{more}" else char for char in text)
