"""A judgement as workflow commands, which GitHub shows beside the lines of a change."""

from __future__ import annotations

import json
from collections.abc import Iterator

from codegen.breaking.findings import Finding
from codegen.breaking.judgement import Judgement
from codegen.breaking.places import Position
from codegen.breaking.rules import Level

COMMANDS = {Level.BREAKING: "error", Level.WARNING: "warning", Level.INFO: "notice"}


def github(judgement: Judgement) -> str:
    """A command a finding; one that is accepted is a notice."""
    return "\n".join(commands(judgement))


def commands(judgement: Judgement) -> Iterator[str]:
    """The commands."""
    for finding in judgement.findings:
        command = "notice" if finding.accepted else COMMANDS[finding.level]
        yield annotation(command, finding.place, finding.rule.id, sentence(finding))
    for problem in judgement.problems:
        place = Position(problem.path, problem.line, problem.column)
        yield annotation("error", place, problem.rule, problem.sentence)


def sentence(finding: Finding) -> str:
    """A finding in a few lines."""
    lines = [f"{finding.whose}: {finding.message}"]
    if finding.witness:
        said = "Taken or promised before" if finding.witness.lost else "Possible now"
        lines.append(f"{said}: {json.dumps(finding.witness.value, ensure_ascii=False)}")
    if finding.accepted:
        return "\n".join([*lines, f"Accepted: {finding.accepted.reason}"])
    return "\n".join([*lines, f"Cure: {finding.rule.cure}", f"Fingerprint: {finding.fingerprint}"])


def annotation(command: str, place: Position, title: str, message: str) -> str:
    """One workflow command."""
    properties = {"file": place.path, "line": place.line, "col": place.column, "title": title}
    said = ",".join(f"{key}={escaped(str(value), ',:')}" for key, value in properties.items())
    return f"::{command} {said}::{escaped(message)}"


def escaped(text: str, more: str = "") -> str:
    """Text with whatever a command would read as its own written otherwise."""
    return "".join(f"%{ord(char):02X}" if char in f"%\r\n{more}" else char for char in text)
