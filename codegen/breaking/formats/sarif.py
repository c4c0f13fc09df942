"""A judgement as SARIF 2.1.0, which code hosts and editors read."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from codegen.breaking.findings import Finding
from codegen.breaking.judgement import Judgement
from codegen.breaking.places import Position
from codegen.breaking.rules import Level
from codegen.breaking.table import RULES
from codegen.problems import Problem

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {Level.BREAKING: "error", Level.WARNING: "warning", Level.INFO: "note"}


def sarif(judgement: Judgement) -> str:
    """The judgement as one log with one run."""
    used = sorted({finding.rule.id for finding in judgement.findings})
    driver = {"name": "toolpact breaking", "rules": [described(name) for name in used]}
    results = [*map(result, judgement.findings), *map(problem_result, judgement.problems)]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def described(name: str) -> dict[str, Any]:
    """A rule."""
    rule = RULES[name]
    return {"id": name, "shortDescription": {"text": rule.says}, "help": {"text": rule.cure}}


def result(finding: Finding) -> dict[str, Any]:
    """A finding."""
    found = {
        "ruleId": finding.rule.id,
        "level": LEVELS[finding.level],
        "message": {"text": f"{finding.whose}: {finding.message}"},
        "locations": [location(finding.place)],
        "partialFingerprints": {"toolpact/v1": finding.fingerprint},
        "properties": {
            "tool": finding.tool,
            "direction": finding.direction.value if finding.direction else None,
            "bump": str(finding.bump),
            "witness": finding.witness.as_json() if finding.witness else None,
        },
    }
    if finding.old and finding.new:
        found["relatedLocations"] = [location(finding.old.position) | {"message": {"text": "as it was"}}]
    if finding.accepted:
        found["suppressions"] = [{"kind": "external", "justification": finding.accepted.reason}]
    return found


def problem_result(problem: Problem) -> dict[str, Any]:
    """An entry that accepts nothing."""
    place = Position(problem.path, problem.line, problem.column)
    return {
        "ruleId": problem.rule,
        "level": "error",
        "message": {"text": problem.sentence},
        "locations": [location(place)],
    }


def location(place: Position) -> dict[str, Any]:
    """A place in a file; a path of a git ref is quoted, so that it is a reference and not a scheme."""
    region = {"startLine": place.line, "startColumn": place.column}
    return {"physicalLocation": {"artifactLocation": {"uri": quote(place.path)}, "region": region}}
